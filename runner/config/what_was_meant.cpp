#include "runner/config/what_was_meant.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "placer/nearest_name.hpp"

namespace pinwise {

std::string what_was_meant(std::string_view text, std::span<const std::string_view> words) {
    const std::size_t slip = std::max<std::size_t>(1, text.size() / 3);
    const std::string_view near = nearest_name(text, words);
    if (!near.empty() && !text.empty() && edit_distance(text, near) <= slip)
        return fmt::format("; did you mean \"{}\"?", near);
    return fmt::format("; known: {}", fmt::join(words, ", "));
}

}  // namespace pinwise
