/// What one placement decision costs, amortised over filling a machine.

#include <benchmark/benchmark.h>

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
void fill_machine(benchmark::State& state, const char* source, const char* rule) {
    const Machine machine = load_machine(source).value();
    const DomainTree tree = DomainTree::build(machine);
    const auto policy = make_policy(rule).value();
    const int threads = machine.online.count();
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            make_plan(tree, *policy, {threads, machine.online, 0, -1, LoadModel::fresh}, Reasons::drop));
    }
    state.counters["ns_per_decision"] =
        benchmark::Counter(static_cast<double>(threads) * 1e-9,
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void build_tree(benchmark::State& state, const char* source) {
    const Machine machine = load_machine(source).value();
    for (auto _ : state)
        benchmark::DoNotOptimize(DomainTree::build(machine));
}

BENCHMARK_CAPTURE(fill_machine, zen3_256_v6, zen3_256, "idlest")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(fill_machine, zen3_256_6_19, zen3_256, "idlest@6.19")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(fill_machine, big_4096_v6, big_4096, "idlest")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(fill_machine, big_4096_6_19, big_4096, "idlest@6.19")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(build_tree, zen3_256, zen3_256)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(build_tree, big_4096, big_4096)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
