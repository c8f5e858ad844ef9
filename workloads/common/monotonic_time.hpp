#pragma once
/// The clock that all processes of a workload share.

#include <cstdint>

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX's

namespace pinwise::workloads {

/// CLOCK_MONOTONIC in nanoseconds: the same in every process.
inline std::int64_t monotonic_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline double seconds_between(std::int64_t begin_ns, std::int64_t end_ns) {
    return static_cast<double>(end_ns - begin_ns) / 1e9;
}

}  // namespace pinwise::workloads
