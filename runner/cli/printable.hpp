#pragma once
/// Text of the user's or the program's on our terminal.

#include <string>
#include <string_view>

namespace pinwise::cli {

/// Control characters as \n, \t, \x1b: one line, and nothing that a terminal obeys.
std::string printable(std::string_view text);

}  // namespace pinwise::cli
