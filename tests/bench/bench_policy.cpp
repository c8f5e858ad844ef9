/// What one placement decision costs, amortised over filling a machine.

#include <algorithm>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/load_machine.hpp"

namespace {

using namespace pinwise;

constexpr auto zen3_256 =
    "synthetic:Package:2 [NUMANode(memory=256GB)] L3Cache:8(size=32MB) L2Cache:8(size=512KB) L1dCache:1(size=32KB) "
    "Core:1 PU:2(indexes=2*128:1*2)";
constexpr auto big_4096 =
    "synthetic:Package:16 [NUMANode(memory=512GB)] L3Cache:16(size=32MB) L2Cache:8(size=512KB) L1dCache:1(size=32KB) "
    "Core:1 PU:2(indexes=2*2048:1*2)";

/// A plan with one thread per CPU.
void fill_machine(benchmark::State& state, const char* source, const std::string& name) {
    const Machine machine = load_machine(source).value();
    const DomainTree tree = DomainTree::build(machine);
    const auto policy = make_policy(name).value();
    const int threads = machine.online.count();
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            make_plan(tree, *policy, {threads, machine.online, 0, -1, LoadModel::fresh}, Reasons::drop));
    }
    state.counters["per_decision"] = benchmark::Counter(
        static_cast<double>(threads), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Of a process that has loaded the machine, built the tree and made a plan: what the kernel counts as resident.
void memory_of_a_plan(benchmark::State& state, const char* source) {
    const auto resident_bytes = [] {
        long pages = 0;
        long resident_pages = 0;
        std::ifstream("/proc/self/statm") >> pages >> resident_pages;
        return static_cast<double>(resident_pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
    };
    const Machine machine = load_machine(source).value();
    const double before = resident_bytes();
    double after = before;
    for (auto _ : state) {
        const DomainTree tree = DomainTree::build(machine);
        const auto policy = make_policy("idlest@6.19").value();
        const auto plan =
            make_plan(tree, *policy, {machine.online.count(), machine.online, 0, -1, LoadModel::fresh}, Reasons::drop);
        benchmark::DoNotOptimize(plan);
        after = std::max(after, resident_bytes());
    }
    state.counters["added_MiB"] = (after - before) / (1 << 20);
    state.counters["process_MiB"] = after / (1 << 20);
}

void build_tree(benchmark::State& state, const char* source) {
    const Machine machine = load_machine(source).value();
    for (auto _ : state)
        benchmark::DoNotOptimize(DomainTree::build(machine));
}

struct BenchedMachine {
    const char* name;
    const char* source;
};

void register_all() {
    for (const auto& [name, source] : {BenchedMachine{"zen3_256", zen3_256}, BenchedMachine{"big_4096", big_4096}}) {
        const std::string suffix = std::string("/") + name;
        benchmark::RegisterBenchmark(("memory" + suffix).c_str(), memory_of_a_plan, source)->Iterations(3);
        for (const PolicyInfo& info : list_policies()) {
            std::string policy(info.name);
            if (policy == "os" || policy == "idlest@running") continue;
            if (policy == "random[:SEED]") policy = "random:1";
            if (policy == "explicit:LIST") policy = "explicit:3,1,2";
            benchmark::RegisterBenchmark(("fill/" + policy + suffix).c_str(), fill_machine, source, policy)
                ->Unit(benchmark::kMicrosecond);
        }
        benchmark::RegisterBenchmark(("build_tree" + suffix).c_str(), build_tree, source)
            ->Unit(benchmark::kMicrosecond);
    }
}

}  // namespace

int main(int argc, char** argv) {
    register_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
