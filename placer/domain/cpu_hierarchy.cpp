#include "placer/domain/cpu_hierarchy.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace pinwise {

namespace {

/// -1 (no node) comes last.
unsigned node_key(const CpuPlaces& places) {
    return static_cast<unsigned>(places.node_number);
}

bool comes_before(const CpuPlaces& a, const CpuPlaces& b) {
    return std::tuple(node_key(a), a.llc_first_cpu, a.core_first_cpu, a.cpu) <
           std::tuple(node_key(b), b.llc_first_cpu, b.core_first_cpu, b.cpu);
}

void rank_llcs(CpuHierarchy& hierarchy) {
    for (const NodePlace& node : hierarchy.nodes) {
        const std::vector<int> ranks = farthest_first_ranks(node.llc_count);
        for (int index = 0; index < node.llc_count; ++index) {
            const int llc = node.first_llc + index;
            hierarchy.llcs[static_cast<std::size_t>(llc)].spread_rank = ranks[static_cast<std::size_t>(index)];
        }
    }
}

}  // namespace

std::vector<int> farthest_first_ranks(int count) {
    const int bits = count < 2 ? 0 : static_cast<int>(std::bit_width(static_cast<unsigned>(count - 1)));
    std::vector<int> ranks(static_cast<std::size_t>(std::max(count, 0)));
    int rank = 0;
    for (int step = 0; step < (1 << bits); ++step) {
        int reversed = 0;
        for (int bit = 0; bit < bits; ++bit)
            reversed |= ((step >> bit) & 1) << (bits - 1 - bit);
        if (reversed < count) ranks[static_cast<std::size_t>(reversed)] = rank++;
    }
    return ranks;
}

CpuHierarchy nest_places(std::vector<CpuPlaces> cpus, int machine_group, int cpu_limit) {
    std::sort(cpus.begin(), cpus.end(), comes_before);
    CpuHierarchy hierarchy;
    hierarchy.machine_group = machine_group;
    hierarchy.core_of_cpu.assign(static_cast<std::size_t>(cpu_limit), -1);
    const CpuPlaces* previous = nullptr;
    for (const CpuPlaces& cpu : cpus) {
        const bool new_node = previous == nullptr || cpu.node_number != previous->node_number;
        const bool new_llc = new_node || cpu.llc_first_cpu != previous->llc_first_cpu;
        const bool new_core = new_llc || cpu.core_first_cpu != previous->core_first_cpu;
        if (new_node) hierarchy.nodes.push_back({cpu.node_group, static_cast<int>(hierarchy.llcs.size()), 0});
        if (new_llc) {
            ++hierarchy.nodes.back().llc_count;
            hierarchy.llcs.push_back({cpu.llc_group, cpu.whole_llc_group, static_cast<int>(hierarchy.nodes.size()) - 1,
                                      static_cast<int>(hierarchy.cores.size()), 0, 0});
        }
        if (new_core) {
            ++hierarchy.llcs.back().core_count;
            hierarchy.cores.push_back(
                {cpu.core_group, static_cast<int>(hierarchy.llcs.size()) - 1, cpu.cpu, cpu.efficiency});
        }
        hierarchy.core_of_cpu[static_cast<std::size_t>(cpu.cpu)] = static_cast<int>(hierarchy.cores.size()) - 1;
        previous = &cpu;
    }
    rank_llcs(hierarchy);
    hierarchy.hybrid = std::ranges::any_of(
        hierarchy.cores, [&](const CorePlace& core) { return core.efficiency != hierarchy.cores.front().efficiency; });
    return hierarchy;
}

}  // namespace pinwise
