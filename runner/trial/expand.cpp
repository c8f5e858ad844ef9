#include "runner/trial/expand.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "placer/balance/balance_choice.hpp"
#include "placer/policy/policies.hpp"
#include "runner/config/each_node.hpp"
#include "runner/config/strategy_words.hpp"
#include "runner/config/topology_expression.hpp"

namespace pinwise {
namespace {

/// One workload with one value of every key: what all strategies are compared on.
struct Case {
    std::string workload;
    WorkloadParameters parameters;
    int threads = 0;
    ConfigValue threads_as_written;
    std::optional<ExternalWorkload> external;
};

tl::unexpected<Error> at(const Experiment& experiment, const ConfigValue& value, const std::string& message) {
    return usage_error(fmt::format("{}: {}", place_of(experiment.file, value.line), message));
}

/// All combinations of the options, the last one varying fastest.
std::vector<WorkloadParameters> all_parameters(const WorkloadAxes& axes) {
    std::vector<WorkloadParameters> combinations{{}};
    for (const auto& [key, values] : axes.options) {
        std::vector<WorkloadParameters> longer;
        for (const WorkloadParameters& parameters : combinations) {
            for (const ConfigValue& value : values) {
                longer.push_back(parameters);
                longer.back().emplace_back(key, value.text);
            }
        }
        combinations = std::move(longer);
    }
    return combinations;
}

/// The variables by which this case differs from others of its workload.
void give_variables(Case& each) {
    if (!each.external) return;
    for (const auto& [name, value] : each.parameters)
        if (name != "label") each.external->case_environment.push_back(fmt::format("{}={}", name, value));
}

bool same_case(const Case& a, const Case& b) {
    return std::tie(a.workload, a.parameters, a.threads) == std::tie(b.workload, b.parameters, b.threads);
}

Result<std::vector<Case>> all_cases(const Experiment& experiment, const Machine& machine) {
    std::vector<Case> cases;
    for (const WorkloadAxes& axes : experiment.workloads) {
        for (const ConfigValue& written : axes.threads) {
            const auto threads = evaluate_thread_count(written.text, machine);
            if (!threads) return at(experiment, written, threads.error().message);
            for (WorkloadParameters& parameters : all_parameters(axes)) {
                Case each{axes.name.text, std::move(parameters), *threads, written, axes.external};
                give_variables(each);
                const bool known =
                    std::ranges::any_of(cases, [&](const Case& other) { return same_case(each, other); });
                if (!known) cases.push_back(std::move(each));
            }
        }
    }
    return cases;
}

/// The policy has its say on the mask: an explicit list must lie inside.
Result<void> check_policy(const Experiment& experiment, const ConfigValue& policy, const CpuSet& mask) {
    const auto made = make_policy(policy.text);
    if (!made) return at(experiment, policy, made.error().message);
    if (const auto inside = (*made)->check(mask); !inside) return at(experiment, policy, inside.error().message);
    return {};
}

Result<CpuSet> mask_for(const Experiment& experiment, const Machine& machine, const Case& each,
                        const ConfigValue& cpus) {
    auto mask = evaluate_cpus(cpus.text, machine, each.threads);
    if (!mask) return at(experiment, cpus, mask.error().message);
    if (each.threads > mask->count() && !experiment.oversubscribe) {
        return at(experiment, each.threads_as_written,
                  fmt::format("threads \"{}\" is {} here, more than the {} CPU{} of cpus \"{}\"; spinning threads that "
                              "share a CPU can be hundreds "
                              "of times slower: use fewer threads or say oversubscribe = true",
                              each.threads_as_written.text, each.threads, mask->count(), mask->count() == 1 ? "" : "s",
                              cpus.text));
    }
    return mask;
}

/// 0 for the control, 1 for the OS under a mask, 2 for everything else.
int column_rank(const Strategy& strategy) {
    if (strategy.policy != "os") return 2;
    const bool control = strategy.cpus == "all" && strategy.memory_here.mode == MemoryMode::first_touch &&
                         strategy.migration == migration_words.front() && strategy.balance == no_balance;
    return control ? 0 : 1;
}

void add_if_new(std::vector<Strategy>& strategies, Strategy strategy) {
    const auto key = [](const Strategy& each) {
        return std::tie(each.cpus, each.policy, each.bind, each.memory, each.migration, each.balance);
    };
    const bool known =
        std::ranges::any_of(strategies, [&](const Strategy& other) { return key(other) == key(strategy); });
    if (!known) strategies.push_back(std::move(strategy));
}

/// Every memory policy of a table, with the nodes of this machine.
Result<std::vector<MemoryPolicy>> memory_policies(const Experiment& experiment, const Machine& machine,
                                                  const CpuSet& mems_allowed, const StrategyAxes& axes) {
    std::vector<MemoryPolicy> policies;
    for (const ConfigValue& memory : axes.memory) {
        auto policy = parse_memory_policy(memory.text);
        if (policy) policy = resolve_memory_policy(*std::move(policy), machine, mems_allowed);
        if (!policy) return at(experiment, memory, policy.error().message);
        policies.push_back(*std::move(policy));
    }
    return policies;
}

/// A balancer brings threads back to where they were placed, so it means nothing to `os`; and it, not the kernel, takes
/// threads over nodes, so that `initial` holds them on their node as `node` does.
void set_balance(Strategy& strategy, const std::string& balance) {
    if (balance == no_balance || strategy.policy == "os") return;
    strategy.balance = balance;
    if (const auto bind = parse_bind(strategy.bind)) strategy.bind = to_string(bind_under_balancer(*bind));
}

/// A strategy under every way of a table to move pages and threads later.
void add_movers(const StrategyAxes& axes, const Strategy& unmoved, std::vector<Strategy>& strategies) {
    for (const ConfigValue& migration : axes.migration) {
        for (const ConfigValue& balance : axes.balance) {
            Strategy strategy = unmoved;
            strategy.migration = migration.text;
            set_balance(strategy, balance.text);
            add_if_new(strategies, std::move(strategy));
        }
    }
}

/// Combinations of one mask and policy with everything else of a table.
void add_bindings(const StrategyAxes& axes, std::span<const MemoryPolicy> memory, const Strategy& of_policy,
                  std::vector<Strategy>& strategies) {
    for (const ConfigValue& bind : axes.bind) {
        for (std::size_t i = 0; i < memory.size(); ++i) {
            Strategy strategy = of_policy;
            strategy.bind = strategy.policy == "os" ? "none" : bind.text;
            strategy.memory = axes.memory[i].text;
            strategy.memory_here = memory[i];
            add_movers(axes, strategy, strategies);
        }
    }
}

/// The first strategy is what the others are compared with; run twice, it shows what changes by itself. Alone it is
/// compared with nothing.
void add_second_arm(std::vector<Strategy>& strategies) {
    if (strategies.size() < 2) return;
    Strategy again = strategies.front();
    again.arm = 2;
    strategies.insert(strategies.begin() + 1, std::move(again));
}

Result<std::vector<Strategy>> all_strategies(const Experiment& experiment, const Machine& machine,
                                             const CpuSet& mems_allowed, const Case& each) {
    std::vector<Strategy> strategies;
    for (const StrategyAxes& axes : experiment.matrix) {
        const auto memory = memory_policies(experiment, machine, mems_allowed, axes);
        if (!memory) return tl::unexpected<Error>(memory.error());
        for (const ConfigValue& cpus : axes.cpus) {
            const auto mask = mask_for(experiment, machine, each, cpus);
            if (!mask) return tl::unexpected<Error>(mask.error());
            for (const ConfigValue& policy : axes.policy) {
                if (const auto fits = check_policy(experiment, policy, *mask); !fits)
                    return tl::unexpected<Error>(fits.error());
                add_bindings(axes, *memory, {cpus.text, *mask, policy.text, {}}, strategies);
            }
        }
    }
    std::ranges::stable_sort(strategies, {}, column_rank);
    if (experiment.noise_floor) add_second_arm(strategies);
    return strategies;
}

/// The size of the cross product, before anything of it is built.
double trials_as_written(const Experiment& experiment) {
    double cases = 0;
    for (const WorkloadAxes& axes : experiment.workloads) {
        auto product = static_cast<double>(axes.threads.size());
        for (const auto& [key, values] : axes.options)
            product *= static_cast<double>(values.size());
        cases += product;
    }
    double strategies = 0;
    for (const StrategyAxes& axes : experiment.matrix)
        strategies += static_cast<double>(axes.cpus.size()) * static_cast<double>(axes.policy.size()) *
                      static_cast<double>(axes.bind.size()) * static_cast<double>(axes.memory.size()) *
                      static_cast<double>(axes.migration.size()) * static_cast<double>(axes.balance.size());
    return cases * strategies * experiment.repetitions;
}

/// A mask that covers fewer LLCs must not get smaller arrays: strategies would then differ in more than placement.
/// Where no cache is reported the parameter goes, and the program falls back on what it assumes.
WorkloadParameters with_shared_llc_bytes(WorkloadParameters parameters, const Machine& machine,
                                         std::span<const Strategy> strategies) {
    const auto shared =
        std::ranges::find(parameters, std::pair{std::string("llc_bytes"), std::string(shared_llc_bytes)});
    if (shared == parameters.end()) return parameters;
    std::uint64_t bytes = 0;
    for (const Llc& llc : machine.llcs) {
        const auto uses = [&llc](const Strategy& strategy) { return strategy.mask.intersects(llc.cpus); };
        if (std::ranges::any_of(strategies, uses)) bytes += llc.size_bytes;
    }
    if (bytes == 0) {
        parameters.erase(shared);
    } else {
        shared->second = std::to_string(bytes);
    }
    return parameters;
}

}  // namespace

Result<void> check_requirements(const Experiment& experiment, const Machine& machine) {
    std::vector<std::string> unmet;
    for (const auto& [condition, reason] : experiment.requirements) {
        const auto met = evaluate_condition(condition.text, machine);
        if (!met) return at(experiment, condition, met.error().message);
        if (!*met)
            unmet.push_back(fmt::format("{}: this experiment needs {}: {}", place_of(experiment.file, condition.line),
                                        condition.text, reason));
    }
    if (unmet.empty()) return {};
    return usage_error(fmt::format("{} ({})", fmt::join(unmet, "; "), describe_counts(machine)));
}

Result<std::vector<TrialSpec>> expand(const Experiment& as_written, const Machine& machine,
                                      const CpuSet& mems_allowed) {
    const auto on_nodes = with_each_node(as_written, machine, mems_allowed);
    if (!on_nodes) return tl::unexpected<Error>(on_nodes.error());
    const Experiment& experiment = *on_nodes;
    if (const double trials = trials_as_written(experiment); trials > max_trials) {
        return usage_error(
            fmt::format("{}: {:.0f} trials; an experiment has at most {}: shorten the lists or repetitions",
                        experiment.file, trials, max_trials));
    }
    const auto cases = all_cases(experiment, machine);
    if (!cases) return tl::unexpected<Error>(cases.error());
    std::vector<TrialSpec> once;
    for (const Case& each : *cases) {
        const auto strategies = all_strategies(experiment, machine, mems_allowed, each);
        if (!strategies) return tl::unexpected<Error>(strategies.error());
        const WorkloadParameters parameters = with_shared_llc_bytes(each.parameters, machine, *strategies);
        for (const Strategy& strategy : *strategies)
            once.push_back(
                {0, 0, 0, each.workload, parameters, each.threads, strategy, experiment.timeout_s, each.external});
    }
    std::vector<TrialSpec> trials;
    for (int repetition = 1; repetition <= experiment.repetitions; ++repetition) {
        for (TrialSpec spec : once) {
            spec.repetition = repetition;
            spec.trial = static_cast<int>(trials.size()) + 1;
            trials.push_back(std::move(spec));
        }
    }
    return trials;
}

}  // namespace pinwise
