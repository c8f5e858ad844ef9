#include "runner/trial/labels.hpp"

#include <algorithm>
#include <array>

namespace pinwise {
namespace {

// A new label is one line here, one word in the enumeration, and one condition in applies().
constexpr std::array<LabelInfo, 14> infos{{
    {Label::emulated_machine, "emulated-machine",
     "instructions are interpreted: times and rates are no measurement, placement and migrations are"},
    {Label::one_node, "one-node", "one NUMA node: no strategy can differ in which node threads and pages are on"},
    {Label::stream_variant, "stream-variant", "results based on a variant of the STREAM benchmark code"},
    {Label::unverified, "unverified", "the workload does not check its own result"},
    {Label::small_arrays, "small-arrays",
     "arrays below 4 times the last-level caches: a rate of caches, not of memory"},
    {Label::above_peak, "above-peak", "a rate above what the memory of this machine can deliver"},
    {Label::binding_not_kept, "binding-not-kept", "a thread's affinity was last not the one it was given"},
    {Label::memory_policy_not_kept, "memory-policy-not-kept",
     "the kernel did not take the memory policy: pages went where it wanted"},
    {Label::busy_at_start, "busy-at-start", "the host had work of its own when the run started (load, pressure)"},
    {Label::busy, "busy", "other programs took more than 5 % of the trial's CPUs"},
    {Label::cpu_stolen, "cpu-stolen", "the hypervisor took more than 5 % of the trial's CPUs"},
    {Label::throttled, "throttled", "CPUs were throttled during the trial (temperature, power or CPU quota)"},
    {Label::kernel_balancing, "kernel-balancing",
     "the kernel's NUMA balancing was on: it moves pages and threads by itself"},
    {Label::topology_moved, "topology-moved",
     "CPUs said to share a last-level cache did not, or not all the time: the hypervisor moved them"},
}};

bool is_above_peak(const TrialResult& result, double peak_gb_per_s) {
    return std::ranges::any_of(result.metrics, [&](const Metric& metric) {
        const double gb_per_s = metric.unit == "MB/s" ? metric.value / 1000 : metric.unit == "GB/s" ? metric.value : 0;
        return gb_per_s > peak_gb_per_s;
    });
}

bool applies(Label label, const TrialSpec& spec, const TrialResult& result, const LabelFacts& facts) {
    switch (label) {
        case Label::emulated_machine:
            return facts.machine_kind == "emulated";
        case Label::one_node:
            return facts.cpu_nodes == 1;
        case Label::stream_variant:
            return spec.workload == "stream";
        case Label::unverified:
            return result.status == TrialStatus::ok && !result.verified;
        case Label::small_arrays:
            return result.llc_ratio && *result.llc_ratio < least_llc_ratio;
        case Label::above_peak:
            return facts.peak_gb_per_s && is_above_peak(result, *facts.peak_gb_per_s);
        case Label::binding_not_kept:
            return result.start.affinity_kept == false;
        case Label::memory_policy_not_kept:
            return !result.mem_policy.empty() && result.mem_policy != "ok";
        case Label::busy_at_start:
            return facts.busy_at_start;
        case Label::busy:
            return facts.others_cpu_share > most_lost_cpu_share;
        case Label::cpu_stolen:
            return facts.stolen_cpu_share > most_lost_cpu_share;
        case Label::throttled:
            return facts.throttle_events > 0;
        case Label::kernel_balancing:
            return result.kernel_balancing.value_or(facts.kernel_balancing) && spec.strategy.migration != "kernel";
        case Label::topology_moved:
            return topology_moved(result.neighbour_before_ns, result.neighbour_after_ns);
    }
    return false;
}

}  // namespace

std::span<const LabelInfo> label_infos() {
    return infos;
}

std::string_view to_string(Label label) {
    return std::ranges::find(infos, label, &LabelInfo::label)->word;
}

std::vector<std::string_view> label_words(std::string_view labels) {
    std::vector<std::string_view> words;
    for (;;) {
        labels.remove_prefix(std::min(labels.find_first_not_of(' '), labels.size()));
        if (labels.empty()) return words;
        words.push_back(labels.substr(0, labels.find(' ')));
        labels.remove_prefix(words.back().size());
    }
}

const LabelInfo* find_label(std::string_view word) {
    const auto* const found = std::ranges::find(infos, word, &LabelInfo::word);
    return found == infos.end() ? nullptr : found;
}

bool is_busy(std::optional<double> load_1_min, std::optional<double> cpu_pressure_percent, int cpus) {
    constexpr double most_pressure_percent = 10;
    return load_1_min > std::max(0.5, 0.1 * cpus) || cpu_pressure_percent > most_pressure_percent;
}

bool topology_moved(std::optional<double> before_ns, std::optional<double> after_ns) {
    if (before_ns > slowest_neighbour_ns || after_ns > slowest_neighbour_ns) return true;
    if (!before_ns || !after_ns) return false;
    const auto [faster, slower] = std::minmax(*before_ns, *after_ns);
    return slower > neighbour_change * faster;
}

std::vector<Label> labels_of(const TrialSpec& spec, const TrialResult& result, const LabelFacts& facts) {
    std::vector<Label> labels;
    for (const LabelInfo& info : infos)
        if (applies(info.label, spec, result, facts)) labels.push_back(info.label);
    return labels;
}

}  // namespace pinwise
