#pragma once
/// What STREAM prints of a kernel's times.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

namespace pinwise::stream {

/// Times in seconds and rates in MB/s (10^6 bytes a second).
struct KernelStatistics {
    double min_s = 0;
    double avg_s = 0;
    double max_s = 0;
    double best_mb_per_s = 0;  ///< bytes over the shortest time
};

/// Of the times of one kernel (at least two), the first left out.
inline KernelStatistics statistics_of(std::span<const double> times_s, std::uint64_t bytes) {
    const auto counted = times_s.subspan(1);
    const auto [shortest, longest] = std::minmax_element(counted.begin(), counted.end());
    const double sum_s = std::accumulate(counted.begin(), counted.end(), 0.0);
    KernelStatistics statistics{*shortest, sum_s / static_cast<double>(counted.size()), *longest, 0};
    statistics.best_mb_per_s = static_cast<double>(bytes) / statistics.min_s * 1e-6;
    return statistics;
}

}  // namespace pinwise::stream
