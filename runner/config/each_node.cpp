#include "runner/config/each_node.hpp"

#include <utility>

#include <fmt/format.h>

namespace pinwise {
namespace {

CpuSet nodes_with_cpus(const Machine& machine) {
    CpuSet nodes;
    for (const Node& node : machine.nodes)
        if (node.cpus.intersects(machine.allowed)) nodes.set(node.os_index);
    return nodes;
}

CpuSet nodes_with_memory(const Machine& machine, const CpuSet& mems_allowed) {
    CpuSet nodes = machine.memory_nodes();
    if (!mems_allowed.empty()) nodes &= mems_allowed;
    return nodes;
}

/// `values` with each `word` replaced by `prefix` and the number of every node.
Result<std::vector<ConfigValue>> replaced(const std::vector<ConfigValue>& values, std::string_view word,
                                          std::string_view prefix, const CpuSet& nodes, const std::string& file) {
    std::vector<ConfigValue> result;
    for (const ConfigValue& value : values) {
        if (value.text != word) {
            result.push_back(value);
            continue;
        }
        if (nodes.empty())
            return usage_error(fmt::format("{}:{}: \"{}\": no NUMA node here is allowed", file, value.line, word));
        for (const int node : nodes.to_vector())
            result.push_back({fmt::format("{}{}", prefix, node), value.line});
    }
    return result;
}

}  // namespace

Result<Experiment> with_each_node(Experiment experiment, const Machine& machine, const CpuSet& mems_allowed) {
    for (StrategyAxes& axes : experiment.matrix) {
        auto cpus = replaced(axes.cpus, cpus_of_each_node, "node:", nodes_with_cpus(machine), experiment.file);
        if (!cpus) return tl::unexpected<Error>(cpus.error());
        auto memory = replaced(axes.memory, memory_of_each_node, "bind:", nodes_with_memory(machine, mems_allowed),
                               experiment.file);
        if (!memory) return tl::unexpected<Error>(memory.error());
        axes.cpus = *std::move(cpus);
        axes.memory = *std::move(memory);
    }
    return experiment;
}

}  // namespace pinwise
