#pragma once
/// Last-level caches of a set of CPUs, from sysfs: what "larger than the caches" means for a workload.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pinwise::workloads {

/// The outermost data or unified cache of some CPUs. Its name is its CPU set (ids repeat or lack on real machines).
struct LastLevelCache {
    int level = 0;
    std::uint64_t size_bytes = 0;
    std::vector<int> cpus;  ///< OS indices of all CPUs that share it, ascending
};

/// What sysfs says of the CPUs asked about.
struct CacheSurvey {
    std::vector<LastLevelCache> caches;  ///< each once, in the order of the CPUs asked about
    std::vector<int> cpus_without;       ///< CPUs of which no cache with a size could be read

    [[nodiscard]] std::uint64_t total_bytes() const;
};

/// Reads devices/system/cpu/cpu*/cache under `sysfs_root` for the given CPUs. What is missing or malformed there (a
/// container, an ARM machine without sizes) ends in `cpus_without`, never in a wrong number.
CacheSurvey last_level_caches(std::span<const int> cpus, const std::filesystem::path& sysfs_root = "/sys");

/// The caches' total to size arrays by, and where it comes from.
struct CacheTotal {
    std::uint64_t bytes = 0;
    std::string source;  ///< for people: "1 LLC of the allowed CPUs, from sysfs"
    bool is_assumed = false;
};

/// Assumed for the total where not every CPU's cache is known, unless the known ones are larger: 256 MiB.
inline constexpr std::uint64_t assumed_cache_bytes = std::uint64_t{256} << 20U;

CacheTotal cache_total(const CacheSurvey& survey);

}  // namespace pinwise::workloads
