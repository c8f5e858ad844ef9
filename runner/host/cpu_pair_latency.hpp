#pragma once
/// How long a cache line takes from one CPU to another. On a virtual machine this tells whether CPUs that are said to
/// share a last-level cache do: the hypervisor moves virtual CPUs, and the topology it shows stays.

#include <optional>
#include <span>
#include <vector>

#include "placer/topology/cpu_set.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

struct CpuPair {
    int first = 0;
    int second = 0;
    friend bool operator==(const CpuPair&, const CpuPair&) = default;
};

/// At most `most` pairs of neighbours: two allowed CPUs of one last-level cache, on different cores, the first of them
/// in `cpus`. One pair a cache, evenly spaced over the caches that `cpus` reach into. Pure.
std::vector<CpuPair> neighbour_pairs(const Machine& machine, const CpuSet& cpus, std::size_t most);

/// Nanoseconds in one direction, of the fastest of several rounds: what interrupts a round is not counted. Absent when
/// the two threads cannot be held on their CPUs, or one of them is not let run for 50 ms before the first round is
/// done.
std::optional<double> exchange_ns(const CpuPair& pair);

/// The slowest of the pairs; absent when none could be measured.
std::optional<double> slowest_exchange_ns(std::span<const CpuPair> pairs);

}  // namespace pinwise
