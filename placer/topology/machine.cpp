#include "placer/topology/machine.hpp"

#include <algorithm>

namespace pinwise {

namespace {

template <class T>
const T* find_by_os_index(const std::vector<T>& sorted, int os_index) {
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), os_index,
                                        [](const T& item, int wanted) { return item.os_index < wanted; });
    return found != sorted.end() && found->os_index == os_index ? &*found : nullptr;
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

}  // namespace pinwise
