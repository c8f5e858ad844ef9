#include "workloads/common/memory_available.hpp"

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace pinwise::workloads {

namespace {

namespace fs = std::filesystem;

/// The number in a file that holds one; nothing for "max" and for files that are not there.
std::optional<std::uint64_t> number_in(const fs::path& path) {
    std::ifstream file(path);
    std::uint64_t value = 0;
    if (!(file >> value)) return std::nullopt;
    return value;
}

/// The number after `key` in a file of "key value" lines.
std::optional<std::uint64_t> number_after(const fs::path& path, std::string_view key) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t value = 0;
        if (words >> name >> value && name == key) return value;
    }
    return std::nullopt;
}

/// A mounted memory controller: the names of its files differ between the versions of cgroups.
struct Hierarchy {
    fs::path mount_point;
    std::string mount_root;  ///< the part of the tree that the mount shows
    const char* limit_file;
    const char* usage_file;
    const char* inactive_key;
    bool is_v2;
};

std::vector<Hierarchy> memory_hierarchies(const fs::path& root) {
    std::vector<Hierarchy> found;
    std::ifstream mounts(root / "proc/self/mountinfo");
    std::string line;
    while (std::getline(mounts, line)) {
        const auto separator = line.find(" - ");
        if (separator == std::string::npos) continue;
        std::istringstream before(line.substr(0, separator));
        std::istringstream after(line.substr(separator + 3));
        std::string id, parent, device, mount_root, mount_point, type, source, options;
        before >> id >> parent >> device >> mount_root >> mount_point;
        after >> type >> source >> options;
        const fs::path point = root / fs::path(mount_point).relative_path();
        if (type == "cgroup2")
            found.push_back({point, mount_root, "memory.max", "memory.current", "inactive_file", true});
        else if (type == "cgroup" && fmt::format(",{},", options).find(",memory,") != std::string::npos)
            found.push_back(
                {point, mount_root, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", false});
    }
    return found;
}

/// This process's group in a hierarchy, as a path below what is mounted.
fs::path group_of(const Hierarchy& hierarchy, const fs::path& root) {
    std::ifstream groups(root / "proc/self/cgroup");
    std::string line;
    while (std::getline(groups, line)) {
        const auto first = line.find(':');
        const auto second = line.find(':', first == std::string::npos ? first : first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
        const bool wanted = hierarchy.is_v2 ? controllers == ",," : controllers.find(",memory,") != std::string::npos;
        if (!wanted) continue;
        std::string path = line.substr(second + 1);
        // A container sees its own part of the tree mounted at the top, while the path may still be the host's.
        if (hierarchy.mount_root != "/" && path.starts_with(hierarchy.mount_root))
            path.erase(0, hierarchy.mount_root.size());
        return fs::path(path).relative_path();
    }
    return {};
}

void apply_limit(const Hierarchy& hierarchy, const fs::path& folder, MemoryAvailable& available) {
    const auto limit = number_in(folder / hierarchy.limit_file);
    const auto usage = number_in(folder / hierarchy.usage_file);
    if (!limit || !usage) return;
    const std::uint64_t reclaimable = number_after(folder / "memory.stat", hierarchy.inactive_key).value_or(0);
    const std::uint64_t held = *usage > reclaimable ? *usage - reclaimable : 0;
    const std::uint64_t left = *limit > held ? *limit - held : 0;
    if (left < available.bytes) available = {left, (folder / hierarchy.limit_file).string()};
}

}  // namespace

Expected<MemoryAvailable> memory_available(const fs::path& root) {
    const auto kib = number_after(root / "proc/meminfo", "MemAvailable:");
    if (!kib)
        return failed_run(fmt::format("{} has no MemAvailable: cannot tell how large arrays may be; give --size",
                                      (root / "proc/meminfo").string()));
    MemoryAvailable available{*kib * 1024, "MemAvailable"};
    for (const auto& hierarchy : memory_hierarchies(root)) {
        fs::path below = group_of(hierarchy, root);
        for (; !below.empty(); below = below.parent_path())
            apply_limit(hierarchy, hierarchy.mount_point / below, available);
        apply_limit(hierarchy, hierarchy.mount_point, available);
    }
    return available;
}

}  // namespace pinwise::workloads
