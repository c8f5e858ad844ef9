#include "placer/topology/machine.hpp"

#include <algorithm>

#include "placer/topology/cpu_list.hpp"

namespace pinwise {

namespace {

template <class T>
const T* find_by_os_index(const std::vector<T>& sorted, int os_index) {
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), os_index,
                                        [](const T& item, int wanted) { return item.os_index < wanted; });
    return found != sorted.end() && found->os_index == os_index ? &*found : nullptr;
}

/// Whether `parts` has that position and the part there holds the CPU.
template <class Part>
bool holds(const std::vector<Part>& parts, int position, int cpu) {
    return position >= 0 && static_cast<std::size_t>(position) < parts.size() &&
           parts[static_cast<std::size_t>(position)].cpus.test(cpu);
}

bool pus_are_consistent(const Machine& machine) {
    int previous = -1;
    for (const Pu& pu : machine.pus) {
        if (pu.os_index <= previous || pu.os_index > max_cpu_number) return false;
        previous = pu.os_index;
        if (!holds(machine.cores, pu.core, pu.os_index) || !holds(machine.llcs, pu.llc, pu.os_index) ||
            !holds(machine.packages, pu.package, pu.os_index) || !machine.online.test(pu.os_index)) {
            return false;
        }
        const Node* node = pu.node ? machine.node(*pu.node) : nullptr;
        if (pu.node && (node == nullptr || !node->cpus.test(pu.os_index))) return false;
    }
    return machine.online.count() == static_cast<int>(machine.pus.size());
}

bool sets_are_consistent(const Machine& machine) {
    const auto within_online = [&](const auto& part) { return part.cpus.is_subset_of(machine.online); };
    return std::ranges::all_of(machine.cores, within_online) && std::ranges::all_of(machine.llcs, within_online) &&
           std::ranges::all_of(machine.packages, within_online) && std::ranges::all_of(machine.nodes, within_online) &&
           machine.allowed.is_subset_of(machine.online);
}

}  // namespace

std::optional<int> Distances::between(int from, int to) const {
    const auto row = std::find(nodes.begin(), nodes.end(), from);
    const auto column = std::find(nodes.begin(), nodes.end(), to);
    if (row == nodes.end() || column == nodes.end()) return std::nullopt;
    const auto index = (row - nodes.begin()) * static_cast<std::ptrdiff_t>(nodes.size()) + (column - nodes.begin());
    return values[static_cast<std::size_t>(index)];
}

const Pu* Machine::pu(int os_index) const {
    return find_by_os_index(pus, os_index);
}

const Node* Machine::node(int os_index) const {
    return find_by_os_index(nodes, os_index);
}

CpuSet Machine::memory_nodes() const {
    const bool recorded = std::ranges::any_of(nodes, [](const Node& node) { return node.memory_bytes > 0; });
    CpuSet numbers;
    for (const Node& node : nodes) {
        if (!recorded || node.memory_bytes > 0) numbers.set(node.os_index);
    }
    return numbers;
}

bool is_consistent(const Machine& machine) {
    const std::size_t nodes = machine.distances.nodes.size();
    return machine.distances.values.size() == nodes * nodes && pus_are_consistent(machine) &&
           sets_are_consistent(machine);
}

}  // namespace pinwise
