#pragma once
/// The end of an "unknown word" message.

#include <span>
#include <string>
#include <string_view>

namespace pinwise {

/// `; did you mean "seed"?` when one word is near enough to be a slip, else `; known: a, b, c`.
std::string what_was_meant(std::string_view text, std::span<const std::string_view> words);

}  // namespace pinwise
