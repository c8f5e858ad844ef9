#pragma once
/// What a job leaves in the memory it shares with the process that started it: complete as far as it got, whatever
/// became of it.

#include <array>
#include <cstddef>
#include <cstdint>

#include "workloads/numa_test/random_updates.hpp"

namespace pinwise::numa_test {

inline constexpr std::size_t most_nodes = 1024;
inline constexpr std::size_t most_moves = 4096;

/// From `time_ns` (CLOCK_MONOTONIC) on, the job was seen on `node` (−1: a CPU of no node).
struct NodeVisit {
    std::int64_t time_ns = 0;
    std::int32_t node = -1;
};

struct JobRecord {
    std::int32_t first_cpu = -1;
    std::int32_t last_cpu = -1;
    std::array<double, most_nodes> node_s{};  ///< time on each node, by OS index, in seconds
    double nowhere_s = 0;                     ///< the same on CPUs of no node
    /// The first is where the job began. Visits beyond the room for them are counted only.
    std::array<NodeVisit, most_moves> visits{};
    std::uint64_t visit_count = 0;
    std::array<std::uint32_t, most_nodes> node_pages{};  ///< sample of its memory at its end
    bool pages_known = false;
    Sums sums;
    Sums expected;
    bool finished = false;
    std::array<char, 200> trouble{};  ///< why it could not go on, as one line
};

}  // namespace pinwise::numa_test
