#include "runner/host/labelling_executor.hpp"

#include <utility>

#include "runner/host/cpu_pair_latency.hpp"

namespace pinwise {

LabellingExecutor::LabellingExecutor(Executor& inner, const Machine& machine, LabelFacts of_run, std::string root)
    : inner_(inner), machine_(machine), of_run_(std::move(of_run)), files_(std::move(root)) {}

std::optional<double> LabellingExecutor::neighbour_ns(const CpuSet& cpus) const {
    constexpr std::size_t sampled_pairs = 4;
    if (of_run_.machine_kind != "virtual") return std::nullopt;
    return slowest_exchange_ns(neighbour_pairs(machine_, cpus, sampled_pairs));
}

TrialResult LabellingExecutor::run(const TrialSpec& spec) {
    const CpuSet& cpus = spec.strategy.mask;
    const auto neighbour_before_ns = neighbour_ns(cpus);
    const HostSample before = sample_host(files_, cpus);
    TrialResult result = inner_.run(spec);
    const HostSample after = sample_host(files_, cpus);
    if (result.status == TrialStatus::interrupted) return result;
    result.neighbour_before_ns = neighbour_before_ns;
    result.neighbour_after_ns = neighbour_ns(cpus);
    const double own_cpu_s = result.user_s.value_or(0) + result.sys_s.value_or(0);
    const HostUse use = host_use(before, after, own_cpu_s, cpus.count());
    LabelFacts facts = of_run_;
    facts.others_cpu_share = use.others_share;
    facts.stolen_cpu_share = use.stolen_share;
    facts.throttle_events = use.throttle_events;
    result.labels = labels_of(spec, result, facts);
    return result;
}

}  // namespace pinwise
