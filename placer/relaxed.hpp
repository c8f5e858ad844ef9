#pragma once
/// The order of nearly every atomic access here: counters and flags that order nothing else.

#include <atomic>

namespace pinwise {

inline constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace pinwise
