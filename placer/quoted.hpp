#pragma once
/// User text inside a message: one line, readable, never a terminal's escape sequence.

#include <cstddef>
#include <string>
#include <string_view>

namespace pinwise {

/// Longest text that in_quotes() repeats whole.
inline constexpr std::size_t max_quoted_bytes = 200;

/// `text` without anything a terminal would act on: control characters and bytes that are not UTF-8 as \n, \t, \xNN, a
/// backslash as it is.
std::string on_one_line(std::string_view text);

/// The same; of a longer text the first max_quoted_bytes bytes, then "...".
std::string printable(std::string_view text);

/// `text` for a file that is UTF-8: bytes that are not as \xNN, everything else as it is.
std::string as_utf8(std::string_view text);

/// printable(text) in double quotes.
std::string in_quotes(std::string_view text);

}  // namespace pinwise
