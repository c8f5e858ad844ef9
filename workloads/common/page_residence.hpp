#pragma once
/// Where the pages of a workload's arrays are: asked of the kernel, never moved.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "workloads/common/expected.hpp"

namespace pinwise::workloads {

using MemoryRange = std::span<const std::byte>;

/// Pages seen, by the node they are on.
using NodePages = std::map<int, std::uint64_t>;

/// Asks move_pages(2) in its query form (no target nodes, nothing moves) about at most `most_samples` pages, evenly
/// spread over the ranges. Pages that were never touched are left out. Fails with the kernel's reason where the call is
/// not permitted or not there.
Expected<NodePages> sample_node_pages(std::span<const MemoryRange> ranges, std::size_t most_samples);

/// Bytes of the mappings that hold the ranges that are on transparent huge pages (AnonHugePages of /proc/self/smaps).
Expected<std::uint64_t> anon_huge_bytes(std::span<const MemoryRange> ranges,
                                        const std::string& smaps = "/proc/self/smaps");

}  // namespace pinwise::workloads
