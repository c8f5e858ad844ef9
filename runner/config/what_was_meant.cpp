#include "runner/config/what_was_meant.hpp"

#include <fmt/format.h>

#include "placer/nearest_name.hpp"

namespace pinwise {

std::string what_was_meant(std::string_view text, std::span<const std::string_view> words) {
    if (const auto similar = similar_name(text, words)) return fmt::format("; did you mean \"{}\"?", *similar);
    return fmt::format("; known: {}", fmt::join(words, ", "));
}

}  // namespace pinwise
