// prediction_table RESULTS RULE [--check]: compares the runs that guest/prediction-runs.sh left in RESULTS with the
// plan of idlest@RULE for this machine: per mode (pinned, unpinned) MODE.cpus, and for each run NN MODE-NN.threads and
// MODE-NN.trace. --check: exit status 1 unless most runs of every mode agree.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "placer/policy/policies.hpp"
#include "placer/topology/cpu_list.hpp"
#include "placer/topology/load_machine.hpp"
#include "tests/lab/programs/prediction.hpp"

namespace {

using pinwise::CpuSet;
using pinwise::DomainTree;
using pinwise::lab::Prediction;

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

CpuSet read_cpus(const std::filesystem::path& path) {
    std::string list = read_file(path);
    while (list.ends_with('\n'))
        list.pop_back();
    CpuSet cpus;
    for (const int cpu : value_or_throw(pinwise::parse_cpu_list(list), path))
        cpus.set(cpu);
    return cpus;
}

std::set<std::filesystem::path> runs_of(const std::filesystem::path& results, const std::string& mode) {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(results))
        if (entry.path().extension() == ".threads" && entry.path().stem().string().starts_with(mode + "-"))
            files.insert(entry.path());
    if (files.empty()) throw std::runtime_error(fmt::format("{} has no {} run", results.string(), mode));
    return files;
}

/// Prints how many runs agree, and each that does not. True when most do.
bool compare_mode(const std::filesystem::path& results, const std::string& mode, const DomainTree& tree,
                  const pinwise::PlacementPolicy& policy) {
    const CpuSet cpus = read_cpus(results / (mode + ".cpus"));
    const auto runs = runs_of(results, mode);
    std::size_t agreeing = 0;
    std::string differences;
    for (std::filesystem::path path : runs) {
        const auto threads = value_or_throw(pinwise::lab::parse_spinning_threads(read_file(path)), path);
        path.replace_extension(".trace");
        const auto events = value_or_throw(pinwise::lab::parse_sched_events(read_file(path)), path);
        const Prediction found = value_or_throw(pinwise::lab::predict(tree, policy, cpus, events, threads), path);
        agreeing += found.agrees() ? 1U : 0U;
        if (!found.agrees()) differences += fmt::format("  {}: {}\n", path.stem().string(), found.difference(tree));
    }
    fmt::print("{:<9} {:<8} CPUs {:<24} {} of {} runs agree\n{}", policy.name(), mode, pinwise::format_cpu_list(cpus),
               agreeing, runs.size(), differences);
    return 2 * agreeing > runs.size();
}

int run(const std::filesystem::path& results, const std::string& rule, bool check) {
    const auto machine = value_or_throw(pinwise::load_machine("live"), "live");
    const auto policy = value_or_throw(pinwise::make_policy("idlest@" + rule), rule);
    const DomainTree tree = DomainTree::build(machine);
    const bool pinned = compare_mode(results, "pinned", tree, *policy);
    const bool unpinned = compare_mode(results, "unpinned", tree, *policy);
    return check && !(pinned && unpinned) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool check = arguments.size() == 3 && arguments[2] == "--check";
    if (arguments.size() != 2 && !check) {
        std::cerr << "usage: prediction_table RESULTS RULE [--check]\n";
        return 2;
    }
    try {
        return run(arguments[0], arguments[1], check);
    } catch (const std::exception& error) {
        std::cerr << "prediction_table: " << error.what() << '\n';
        return 1;
    }
}
