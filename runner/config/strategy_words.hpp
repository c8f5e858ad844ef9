#pragma once
/// Axes of a strategy whose values are words of a short list. The first word of each is the neutral one: it is what a
/// config means that does not name the axis, and what tables of before the axis existed mean.
///
/// A new value is one word here, its meaning in docs/config.md, and the code that acts on it.

#include <array>
#include <string_view>

namespace pinwise {

/// Who moves pages after they were first touched.
inline constexpr std::array<std::string_view, 4> migration_words{"none", "kernel", "scan-unstaggered",
                                                                 "scan-staggered"};

/// Nobody but the kernel moves threads between nodes after they have started; the other values are parse_balance()'s.
inline constexpr std::string_view no_balance = "none";

}  // namespace pinwise
