#pragma once
/// The one clock of the runner.

#include <chrono>
#include <cstdint>

namespace pinwise {

inline constexpr std::int64_t ns_per_s = 1'000'000'000;

/// Nanoseconds of std::chrono::steady_clock, which is CLOCK_MONOTONIC on Linux.
inline std::int64_t steady_now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace pinwise
