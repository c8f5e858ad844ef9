#pragma once
/// "Did you mean": the nearest of the names a user may write.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace pinwise {

/// Levenshtein distance: single-character insertions, deletions and substitutions between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest name if it resembles the word: at most half of the longer of the two differs, upper and lower case
/// counted as the same. Nothing otherwise: a wrong guess is worse than none.
std::optional<std::string_view> similar_name(std::string_view word, std::span<const std::string_view> names);

}  // namespace pinwise
