// placement_table RESULTS [--expect stacking|spreading]: the table of demo.sh from what its guest left in RESULTS:
// topology.json, and for each run NN of each arm (os, idlest, idlest_cpu) ARM-NN.threads and ARM-NN.trace.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "placer/topology/cpu_list.hpp"
#include "tests/lab/programs/placement_run.hpp"

namespace {

using pinwise::lab::InitialPlacement;
using pinwise::lab::PlacementRun;
using Json = nlohmann::json;

/// CPU -> index of its node, and how many nodes have CPUs.
struct Nodes {
    std::map<int, std::size_t> of_cpu;
    std::size_t count = 0;
};

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(fmt::format("{} cannot be read", path.string()));
    return {std::istreambuf_iterator<char>(file), {}};
}

template <class Value>
Value value_or_throw(pinwise::Result<Value> result, const std::filesystem::path& path) {
    if (!result) throw std::runtime_error(fmt::format("{}: {}", path.string(), result.error().message));
    return std::move(*result);
}

Nodes read_nodes(const std::filesystem::path& results) {
    Nodes nodes;
    const Json topology = Json::parse(read_file(results / "topology.json"));
    for (const Json& node : topology.at("nodes")) {
        const auto list = node.at("cpus").get<std::string>();
        if (list.empty()) continue;
        for (const int cpu : value_or_throw(pinwise::parse_cpu_list(list), "topology.json"))
            nodes.of_cpu[cpu] = nodes.count;
        ++nodes.count;
    }
    return nodes;
}

std::vector<PlacementRun> read_runs(const std::filesystem::path& results, const std::string& arm) {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(results)) {
        if (entry.path().extension() == ".threads" && entry.path().stem().string().starts_with(arm + "-"))
            files.insert(entry.path());
    }
    std::vector<PlacementRun> runs;
    for (std::filesystem::path path : files) {
        const auto threads = value_or_throw(pinwise::lab::parse_spinning_threads(read_file(path)), path);
        path.replace_extension(".trace");
        const auto events = value_or_throw(pinwise::lab::parse_sched_events(read_file(path)), path);
        runs.push_back(value_or_throw(pinwise::lab::placement_run(events, threads), path));
    }
    if (runs.empty()) throw std::runtime_error(fmt::format("{} has no run of the arm {}", results.string(), arm));
    return runs;
}

/// "{4}{4}"
std::string node_counts(const InitialPlacement& placement, const Nodes& nodes) {
    std::vector<int> counts(nodes.count);
    for (const int cpu : placement.cpus)
        ++counts.at(nodes.of_cpu.at(cpu));
    std::string text;
    for (const int count : counts)
        text += fmt::format("{{{}}}", count);
    return text;
}

int cpus_used(const InitialPlacement& placement) {
    return static_cast<int>(std::set(placement.cpus.begin(), placement.cpus.end()).size());
}

int most_on_one_cpu(const InitialPlacement& placement) {
    int most = 0;
    for (const int cpu : placement.cpus)
        most = std::max(most, static_cast<int>(std::ranges::count(placement.cpus, cpu)));
    return most;
}

/// The placements of all runs as one of the two views sees them.
std::vector<InitialPlacement> view(std::span<const PlacementRun> runs, InitialPlacement PlacementRun::*which) {
    std::vector<InitialPlacement> placements;
    for (const PlacementRun& run : runs)
        placements.push_back(run.*which);
    return placements;
}

template <class Value>
std::vector<Value> sorted(std::span<const InitialPlacement> placements,
                          const std::function<Value(const InitialPlacement&)>& value) {
    std::vector<Value> values;
    for (const InitialPlacement& placement : placements)
        values.push_back(value(placement));
    std::ranges::sort(values);
    return values;
}

double median(const std::vector<int>& values) {
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

/// "4" when all are alike, else the median and the range: "15.5 (12-30)".
std::string range_text(const std::vector<int>& values) {
    if (values.front() == values.back()) return fmt::format("{}", values.front());
    return fmt::format("{} ({}-{})", median(values), values.front(), values.back());
}

/// Every value with how often it occurred, the most frequent first: "{8}{0} 9, {6}{2} 1".
std::string frequencies(const std::vector<std::string>& values) {
    std::map<std::string, int> counts;
    for (const std::string& value : values)
        ++counts[value];
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [value, count] : counts)
        order.emplace_back(-count, value);
    std::ranges::sort(order);
    std::string text;
    for (const auto& [count, value] : order)
        text += fmt::format("{}{} {}x", text.empty() ? "" : ", ", value, -count);
    return text;
}

void print_row(const std::string& arm, const std::string& seen_by, std::span<const InitialPlacement> placements,
               const Nodes& nodes) {
    const auto counts = sorted<std::string>(
        placements, [&nodes](const InitialPlacement& placement) { return node_counts(placement, nodes); });
    const auto stable = sorted<int>(
        placements, [](const InitialPlacement& p) { return static_cast<int>(p.stable_after_ns / 1'000'000); });
    fmt::print("{:<17} {:<17} {:>4}  {:<11} {:<15} {:<13} {:<17} {}\n", arm, seen_by, placements.size(),
               range_text(sorted<int>(placements, cpus_used)), range_text(sorted<int>(placements, most_on_one_cpu)),
               range_text(sorted<int>(placements, [](const InitialPlacement& p) { return p.migrations; })),
               range_text(stable), frequencies(counts));
}

void print_arm(const std::string& arm, std::span<const PlacementRun> runs, const Nodes& nodes) {
    print_row(arm, "sched_wakeup_new", view(runs, &PlacementRun::chosen), nodes);
    print_row(arm, "first instruction", view(runs, &PlacementRun::started), nodes);
}

/// One check that a test relies on; says so when it fails.
bool holds(bool condition, const std::string& what) {
    if (!condition) fmt::print("FAILED: {}\n", what);
    return condition;
}

/// Other tasks of the guest and a busy host disturb single runs of the kernel's own placement: the median decides.
bool os_as_expected(std::span<const PlacementRun> runs, const std::string& expectation) {
    const auto placements = view(runs, &PlacementRun::chosen);
    const double used = median(sorted<int>(placements, cpus_used));
    const double moves = median(sorted<int>(placements, [](const InitialPlacement& p) { return p.migrations; }));
    const double threads = static_cast<double>(placements.front().cpus.size());
    if (expectation == "stacking") {
        return holds(used <= threads - 3 && moves >= threads,
                     "the kernel's own placement stacks and is repaired by migrations");
    }
    return holds(used >= threads - 1 && moves <= 2, "the kernel's own placement spreads the threads");
}

/// How many runs began with as many threads on every node and a CPU for each thread.
int even_runs(std::span<const PlacementRun> runs, const Nodes& nodes) {
    const auto even = [&nodes](const PlacementRun& run) {
        const InitialPlacement& placement = run.started;
        std::string wanted;
        for (std::size_t node = 0; node < nodes.count; ++node)
            wanted += fmt::format("{{{}}}", placement.cpus.size() / nodes.count);
        return node_counts(placement, nodes) == wanted && most_on_one_cpu(placement) == 1;
    };
    return static_cast<int>(std::ranges::count_if(runs, even));
}

std::vector<int> moves_after_start(std::span<const PlacementRun> runs) {
    return sorted<int>(view(runs, &PlacementRun::started), [](const InitialPlacement& p) { return p.migrations; });
}

int run(const std::filesystem::path& results, const std::string& expectation) {
    const Nodes nodes = read_nodes(results);
    const auto os = read_runs(results, "os");
    const auto idlest = read_runs(results, "idlest");
    const auto idlest_cpu = read_runs(results, "idlest_cpu");
    fmt::print("{:<17} {:<17} {:>4}  {:<11} {:<15} {:<13} {:<17} {}\n", "arm", "placement seen by", "runs", "CPUs used",
               "most on one CPU", "migrations", "stable after ms", "initial {node 0}{node 1}: runs");
    print_arm("os", os, nodes);
    print_arm("idlest", idlest, nodes);
    print_arm("idlest --bind cpu", idlest_cpu, nodes);
    if (expectation.empty()) return 0;
    const auto all = static_cast<int>(idlest_cpu.size());
    const int most = static_cast<int>(idlest.size()) / 2 + 1;
    const bool results_hold[] = {
        os_as_expected(os, expectation),
        holds(even_runs(idlest, nodes) >= most, "idlest: as many threads on each node and a CPU for each in most runs"),
        holds(median(moves_after_start(idlest)) == 0, "idlest: no migration in most runs"),
        holds(even_runs(idlest_cpu, nodes) == all,
              "idlest --bind cpu: as many threads on each node and a CPU for each in every run"),
        holds(moves_after_start(idlest_cpu).back() == 0, "idlest --bind cpu: no migration in any run")};
    return std::ranges::count(results_hold, false) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool expects = arguments.size() == 3 && arguments[1] == "--expect" &&
                         (arguments[2] == "stacking" || arguments[2] == "spreading");
    if (arguments.size() != 1 && !expects) {
        std::cerr << "usage: placement_table RESULTS [--expect stacking|spreading]\n";
        return 2;
    }
    try {
        return run(arguments[0], expects ? arguments[2] : "");
    } catch (const std::exception& error) {
        std::cerr << "placement_table: " << error.what() << '\n';
        return 1;
    }
}
