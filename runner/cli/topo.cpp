#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "placer/topology/cpu_list.hpp"
#include "placer/topology/load_machine.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/replace_file.hpp"
#include "runner/cli/topology_options.hpp"

namespace pinwise::cli {

namespace {

struct TopoOptions {
    std::string topology = "live";
    std::string format = "text";
    std::optional<std::string> save;  ///< file to write instead of printing
};

std::string format_bytes(std::uint64_t bytes) {
    if (bytes == 0) return "-";
    constexpr double mib = 1 << 20;
    const double size_mib = static_cast<double>(bytes) / mib;
    return size_mib >= 10240 ? fmt::format("{:.1f} GiB", size_mib / 1024) : fmt::format("{:.4g} MiB", size_mib);
}

/// "cpus 0-3,8" plus what of it is not allowed here.
std::string format_cpus(const Machine& machine, const CpuSet& cpus) {
    if (cpus.empty()) return "no CPUs";
    const CpuSet allowed = cpus & machine.allowed;
    std::string text = fmt::format("CPUs {}", format_cpu_list(cpus));
    if (allowed.empty()) return text + ", none allowed here";
    if (allowed != cpus) text += fmt::format(", allowed here {}", format_cpu_list(allowed));
    return text;
}

void print_nodes(const Machine& machine) {
    fmt::print("NUMA nodes: {}\n", machine.nodes.size());
    const CpuSet with_memory = machine.memory_nodes();
    for (const Node& node : machine.nodes) {
        const std::string near = node.cpus.empty() && !node.local_cpus.empty()
                                     ? fmt::format(" (near CPUs {})", format_cpu_list(node.local_cpus))
                                     : "";
        const std::string memory = with_memory.test(node.os_index) ? format_bytes(node.memory_bytes) : "no memory";
        fmt::print("  node {:<3} {:>10}  {}{}\n", node.os_index, memory, format_cpus(machine, node.cpus), near);
    }
}

void print_distances(const Machine& machine) {
    const Distances& distances = machine.distances;
    if (machine.nodes.size() < 2) return;
    if (distances.nodes.empty()) {
        fmt::print("distances: not reported; 10 / 12 (same package) / 20 are assumed\n");
        return;
    }
    fmt::print("distances:\n     ");
    for (const int to : distances.nodes)
        fmt::print("{:>5}", to);
    for (const int from : distances.nodes) {
        fmt::print("\n{:>5}", from);
        for (const int to : distances.nodes)
            fmt::print("{:>5}", distances.between(from, to).value_or(0));
    }
    fmt::print("\n");
}

void print_text(const Machine& machine) {
    fmt::print("machine:    {}{}{}\n", machine.source, machine.cpu_model.empty() ? "" : ", ", machine.cpu_model);
    fmt::print("packages:   {}\n", machine.packages.size());
    for (std::size_t index = 0; index < machine.packages.size(); ++index) {
        fmt::print("  package {:<3}         {}\n", index, format_cpus(machine, machine.packages[index].cpus));
    }
    print_nodes(machine);
    fmt::print("LLCs:       {}\n", machine.llcs.size());
    for (std::size_t index = 0; index < machine.llcs.size(); ++index) {
        const Llc& llc = machine.llcs[index];
        const std::string kind =
            llc.level == 0 ? "no cache reported" : fmt::format("L{} {}", llc.level, format_bytes(llc.size_bytes));
        fmt::print("  llc {:<4} {:>11}  {}\n", index, kind, format_cpus(machine, llc.cpus));
    }
    fmt::print("cores:      {}\n", machine.cores.size());
    fmt::print("PUs:        {} online ({})", machine.online.count(), format_cpu_list(machine.online));
    if (!machine.offline.empty()) fmt::print(", offline {}", format_cpu_list(machine.offline));
    fmt::print("\nallowed:    {} ({})\n", machine.allowed.count(), format_cpu_list(machine.allowed));
    print_distances(machine);
}

nlohmann::ordered_json to_json(const Machine& machine) {
    using Json = nlohmann::ordered_json;
    Json json{{"source", machine.source},
              {"cpu_model", machine.cpu_model},
              {"packages", Json::array()},
              {"nodes", Json::array()},
              {"llcs", Json::array()},
              {"cores", machine.cores.size()},
              {"online", format_cpu_list(machine.online)},
              {"offline", format_cpu_list(machine.offline)},
              {"allowed", format_cpu_list(machine.allowed)},
              {"distances", {{"nodes", machine.distances.nodes}, {"values", machine.distances.values}}},
              {"reclaim_distance", machine.reclaim_distance}};
    for (const Package& package : machine.packages)
        json["packages"].push_back({{"cpus", format_cpu_list(package.cpus)}});
    const CpuSet with_memory = machine.memory_nodes();
    for (const Node& node : machine.nodes) {
        json["nodes"].push_back({{"node", node.os_index},
                                 {"memory_bytes", node.memory_bytes},
                                 {"memory_target", with_memory.test(node.os_index)},
                                 {"cpus", format_cpu_list(node.cpus)},
                                 {"local_cpus", format_cpu_list(node.local_cpus)}});
    }
    for (const Llc& llc : machine.llcs) {
        json["llcs"].push_back(
            {{"level", llc.level}, {"size_bytes", llc.size_bytes}, {"cpus", format_cpu_list(llc.cpus)}});
    }
    return json;
}

/// Refuses what load_machine() refuses, so that a file that was saved can be read.
Result<void> save(const TopoOptions& options) {
    if (const auto machine = load_machine(options.topology); !machine) return tl::unexpected(machine.error());
    const auto xml = topology_xml(options.topology);
    if (!xml) return tl::unexpected(xml.error());
    return replace_file(*options.save, *xml);
}

}  // namespace

void add_topo(CLI::App& app, Outcome& outcome) {
    CLI::App* command = app.add_subcommand(
        "topo", "Print packages, NUMA nodes, LLCs, cores, CPUs and distances, and what of it is allowed here");
    const auto options = std::make_shared<TopoOptions>();
    add_topology_option(*command, options->topology);
    add_format_option(*command, options->format, {"text", "json"});
    command->add_option("--save", options->save,
                        "Write the machine to FILE as hwloc XML that every --topology takes: topology, allowed and "
                        "offline CPUs, without host name, serial numbers and cgroup");
    command->footer(
        "Examples:\n"
        "  pinwise topo\n"
        "  pinwise topo --save here.xml\n"
        "  pinwise topo --topology 'synthetic:Package:2 [NUMANode] L3Cache:8 Core:8 PU:2'");
    command->callback([options, &outcome] {
        if (options->save) {
            if (const auto saved = save(*options); !saved) report(saved.error(), outcome);
            return;
        }
        const auto machine = load_machine(options->topology);
        if (!machine) return report(machine.error(), outcome);
        if (options->format == "json") {
            fmt::print("{}\n", to_json(*machine).dump(2));
        } else {
            print_text(*machine);
        }
    });
}

}  // namespace pinwise::cli
