#pragma once
/// How much memory a workload may take without being killed or swapping.

#include <cstdint>
#include <filesystem>
#include <string>

#include "workloads/common/expected.hpp"

namespace pinwise::workloads {

struct MemoryAvailable {
    std::uint64_t bytes = 0;
    std::string limited_by;  ///< for people: "MemAvailable" or the cgroup's file
};

/// The least of MemAvailable and what every memory cgroup above this process (v1 and v2, up to its mount point) leaves:
/// limit − usage + inactive file cache, which the kernel gives back under pressure. `root` is where proc and sys are
/// looked for; fails only where /proc/meminfo has no MemAvailable.
Expected<MemoryAvailable> memory_available(const std::filesystem::path& root = "/");

}  // namespace pinwise::workloads
