#include "placer/memory/memory_policy.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "placer/nearest_name.hpp"
#include "placer/topology/cpu_list.hpp"

namespace pinwise {

namespace {

enum class Nodes { none, optional, some, one };

struct ModeName {
    std::string_view name;
    MemoryMode mode;
    Nodes nodes;
};

constexpr std::array modes{
    ModeName{"first-touch", MemoryMode::first_touch, Nodes::none},
    ModeName{"interleave", MemoryMode::interleave, Nodes::optional},
    ModeName{"weighted-interleave", MemoryMode::weighted_interleave, Nodes::optional},
    ModeName{"bind", MemoryMode::bind, Nodes::some},
    ModeName{"preferred", MemoryMode::preferred, Nodes::one},
};

std::string_view name_of(MemoryMode mode) {
    return std::ranges::find(modes, mode, &ModeName::mode)->name;
}

Result<CpuSet> parse_nodes(std::string_view text) {
    const auto list = parse_cpu_list(text);
    if (list) return CpuSet::of(*list);
    constexpr std::string_view cpu_list = "CPU list";
    std::string message = list.error().message;
    if (message.starts_with(cpu_list)) message.replace(0, cpu_list.size(), "node list");
    return usage_error(std::move(message));
}

/// What is wrong with node `number` as memory; empty when nothing is. A machine description in which no node has
/// memory does not record it.
std::string why_not(int number, const Machine& machine, const CpuSet& mems_allowed) {
    const Node* node = machine.node(number);
    if (node == nullptr) return fmt::format("node {} does not exist", number);
    const bool recorded = std::ranges::any_of(machine.nodes, [](const Node& each) { return each.memory_bytes > 0; });
    if (recorded && node->memory_bytes == 0) return fmt::format("node {} has no memory", number);
    if (!mems_allowed.empty() && !mems_allowed.test(number)) {
        return fmt::format("node {} is not allowed here (allowed: {})", number, format_cpu_list(mems_allowed));
    }
    return {};
}

CpuSet usable_nodes(const Machine& machine, const CpuSet& mems_allowed) {
    CpuSet usable;
    for (const Node& node : machine.nodes)
        if (why_not(node.os_index, machine, mems_allowed).empty()) usable.set(node.os_index);
    return usable;
}

}  // namespace

std::string MemoryPolicy::name() const {
    return nodes.empty() ? std::string(name_of(mode)) : fmt::format("{}:{}", name_of(mode), format_cpu_list(nodes));
}

Result<MemoryPolicy> parse_memory_policy(std::string_view text) {
    const auto colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const auto* const found = std::ranges::find(modes, name, &ModeName::name);
    if (found == modes.end()) {
        std::vector<std::string_view> names;
        std::ranges::transform(modes, std::back_inserter(names), &ModeName::name);
        const auto similar = similar_name(name, names);
        return usage_error(fmt::format("unknown memory policy \"{}\"{} There are {}", text,
                                       similar ? fmt::format(": did you mean {}?", *similar) : ".",
                                       fmt::join(names, ", ")));
    }
    MemoryPolicy policy{.mode = found->mode, .nodes = {}};
    if (colon == std::string_view::npos) {
        if (found->nodes == Nodes::some || found->nodes == Nodes::one)
            return usage_error(fmt::format("memory policy {0} needs nodes: {0}:0", name));
        return policy;
    }
    if (found->nodes == Nodes::none)
        return usage_error(fmt::format("memory policy \"{}\": {} takes no nodes", text, name));
    auto nodes = parse_nodes(text.substr(colon + 1));
    if (!nodes) return usage_error(fmt::format("memory policy \"{}\": {}", text, nodes.error().message));
    if (found->nodes == Nodes::one && nodes->count() != 1)
        return usage_error(fmt::format("memory policy \"{}\": {} takes one node", text, name));
    policy.nodes = *std::move(nodes);
    return policy;
}

Result<MemoryPolicy> resolve_memory_policy(MemoryPolicy policy, const Machine& machine, const CpuSet& mems_allowed) {
    if (policy.mode == MemoryMode::first_touch) return policy;
    const CpuSet usable = usable_nodes(machine, mems_allowed);
    if (policy.nodes.empty()) policy.nodes = usable;
    if (policy.nodes.empty())
        return usage_error(fmt::format("memory policy {}: no node here has memory that is allowed", policy.name()));
    for (const int node : policy.nodes.to_vector()) {
        const std::string reason = why_not(node, machine, mems_allowed);
        if (!reason.empty()) {
            return usage_error(fmt::format("memory policy {}: {}; nodes with memory: {}", policy.name(), reason,
                                           format_cpu_list(usable)));
        }
    }
    return policy;
}

std::string_view find_mems_allowed(std::string_view status) {
    constexpr std::string_view key = "Mems_allowed_list:";
    const auto found = status.find(key);
    if (found == std::string_view::npos) return {};
    std::string_view line = status.substr(found + key.size());
    line = line.substr(0, line.find('\n'));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
}

CpuSet allowed_memory_nodes() {
    std::ifstream file("/proc/self/status");
    std::ostringstream text;
    text << file.rdbuf();
    const auto list = parse_cpu_list(find_mems_allowed(text.str()));
    return list ? CpuSet::of(*list) : CpuSet{};
}

}  // namespace pinwise
