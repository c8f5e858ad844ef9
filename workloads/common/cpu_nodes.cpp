#include "workloads/common/cpu_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "workloads/common/allowed_cpus.hpp"
#include "workloads/common/whole_file.hpp"

namespace pinwise::workloads {

namespace {

std::vector<int> list_in(const std::filesystem::path& path) {
    return parse_kernel_list(whole_file(path)).value_or(std::vector<int>{});
}

/// 12 of "node12".
std::optional<int> node_number(std::string_view folder) {
    constexpr std::string_view prefix = "node";
    if (!folder.starts_with(prefix)) return std::nullopt;
    const auto numbers = parse_kernel_list(folder.substr(prefix.size()));
    return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

}  // namespace

CpuNodes cpu_nodes(const std::filesystem::path& sysfs_root) {
    std::map<int, std::vector<int>> cpus_of;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(sysfs_root / "devices/system/node", error), end;
         !error && entry != end; entry.increment(error)) {
        const auto number = node_number(entry->path().filename().string());
        if (!number) continue;
        auto cpus = list_in(entry->path() / "cpulist");
        if (!cpus.empty()) cpus_of[*number] = std::move(cpus);
    }
    if (cpus_of.empty()) cpus_of[0] = list_in(sysfs_root / "devices/system/cpu/online");
    CpuNodes result;
    for (const auto& [node, cpus] : cpus_of) {
        result.nodes.push_back(node);
        for (const int cpu : cpus) {
            const auto index = static_cast<std::size_t>(cpu);
            if (index >= result.node_of_cpu.size()) result.node_of_cpu.resize(index + 1, -1);
            result.node_of_cpu[index] = node;
        }
    }
    return result;
}

}  // namespace pinwise::workloads
