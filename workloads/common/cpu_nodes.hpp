#pragma once
/// Which NUMA node each CPU belongs to, from sysfs.

#include <filesystem>
#include <vector>

namespace pinwise::workloads {

struct CpuNodes {
    std::vector<int> nodes;        ///< OS indices of the nodes that have CPUs, ascending
    std::vector<int> node_of_cpu;  ///< by OS index of the CPU; −1: a CPU of no node

    /// −1 for a CPU of no node, or one that was not there.
    [[nodiscard]] int node_of(int cpu) const {
        const auto index = static_cast<std::size_t>(cpu);
        return cpu >= 0 && index < node_of_cpu.size() ? node_of_cpu[index] : -1;
    }
};

/// Reads devices/system/node/node*/cpulist under `sysfs_root`. Where a kernel has no nodes there, all CPUs that are
/// online (devices/system/cpu/online) are node 0's.
CpuNodes cpu_nodes(const std::filesystem::path& sysfs_root = "/sys");

}  // namespace pinwise::workloads
