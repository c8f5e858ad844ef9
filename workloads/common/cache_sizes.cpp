#include "workloads/common/cache_sizes.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/core.h>

#include "workloads/common/allowed_cpus.hpp"

namespace pinwise::workloads {

namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    return line;
}

/// "32768K" as sysfs writes it; also M and G, and plain bytes.
std::optional<std::uint64_t> parse_cache_size(const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value == 0) return std::nullopt;
    const std::string unit(end, text.data() + text.size());
    const auto shift = unit.empty() ? 0U : unit == "K" ? 10U : unit == "M" ? 20U : unit == "G" ? 30U : 64U;
    if (shift == 64U || value > std::numeric_limits<std::uint64_t>::max() >> (shift + 1)) return std::nullopt;
    return value << shift;
}

std::optional<LastLevelCache> read_cache(const fs::path& index) {
    const std::string type = first_line(index / "type");
    if (type != "Data" && type != "Unified") return std::nullopt;
    const auto level = parse_kernel_list(first_line(index / "level"));
    const auto size = parse_cache_size(first_line(index / "size"));
    auto cpus = parse_kernel_list(first_line(index / "shared_cpu_list"));
    if (!level || level->size() != 1 || !size || !cpus || cpus->empty()) return std::nullopt;
    return LastLevelCache{level->front(), *size, std::move(*cpus)};
}

std::optional<LastLevelCache> outermost_cache(int cpu, const fs::path& sysfs_root) {
    std::optional<LastLevelCache> outermost;
    std::error_code unreadable;
    const fs::path folder = sysfs_root / fmt::format("devices/system/cpu/cpu{}/cache", cpu);
    for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
        if (!entry.path().filename().string().starts_with("index")) continue;
        auto cache = read_cache(entry.path());
        if (cache && (!outermost || cache->level > outermost->level)) outermost = std::move(cache);
    }
    return outermost;
}

}  // namespace

std::uint64_t CacheSurvey::total_bytes() const {
    std::uint64_t total = 0;
    for (const auto& cache : caches)
        total += cache.size_bytes;
    return total;
}

CacheSurvey last_level_caches(std::span<const int> cpus, const fs::path& sysfs_root) {
    CacheSurvey survey;
    std::set<int> covered;
    for (const int cpu : cpus) {
        if (covered.contains(cpu)) continue;
        auto cache = outermost_cache(cpu, sysfs_root);
        if (!cache) {
            survey.cpus_without.push_back(cpu);
            continue;
        }
        covered.insert(cpu);
        covered.insert(cache->cpus.begin(), cache->cpus.end());
        survey.caches.push_back(std::move(*cache));
    }
    return survey;
}

CacheTotal cache_total(const CacheSurvey& survey) {
    const std::uint64_t known = survey.total_bytes();
    if (survey.cpus_without.empty() && known != 0)
        return {known,
                fmt::format("{} LLC{} of the allowed CPUs, from sysfs", survey.caches.size(),
                            survey.caches.size() == 1 ? "" : "s"),
                false};
    const std::uint64_t assumed = std::max(known, assumed_cache_bytes);
    return {assumed,
            fmt::format("assumed: sysfs has no cache size for {} of the allowed CPUs",
                        survey.cpus_without.empty() ? "any" : std::to_string(survey.cpus_without.size())),
            true};
}

}  // namespace pinwise::workloads
