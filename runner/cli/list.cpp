#include <span>
#include <string>

#include <fmt/format.h>

#include "placer/policy/policies.hpp"
#include "placer/policy/running_rule.hpp"
#include "placer/topology/running_kernel.hpp"
#include "runner/cli/commands.hpp"
#include "runner/config/config_files.hpp"
#include "runner/trial/workload_commands.hpp"

namespace pinwise::cli {

namespace {

void print_policies() {
    for (const PolicyInfo& policy : list_policies())
        fmt::print("{:<15} {}\n", policy.name, policy.summary);
    const auto running = rule_of_kernel(running_kernel());
    if (running) {
        fmt::print("\nidlest@running is idlest@{} here: {}\n", running->rule->name, running->why);
    } else {
        fmt::print("\nidlest@running is none here: {}\n", running.error().message);
    }
}

void print_configs() {
    for (const ConfigFile& config : list_configs(config_folders()))
        fmt::print("{:<20} {}\n{:20} {}\n", config.name, config.summary, "", config.path);
}

/// "ntimes 10 (at least 2)", "stores auto (auto, regular, nontemporal)"
std::string describe(const WorkloadOption& option) {
    const std::string allowed = !option.choices.empty() ? fmt::format(" ({})", fmt::join(option.choices, ", "))
                                : option.least > 0      ? fmt::format(" (at least {})", option.least)
                                : option.size           ? " (or elements, or bytes with a unit)"
                                                        : "";
    return fmt::format("{:<10} {}{}", option.key, option.fallback, allowed);
}

void print_workloads() {
    for (const WorkloadCommand& workload : workload_commands()) {
        fmt::print("{:<20} program {}; keys and what they are by themselves:\n", workload.name, workload.executable);
        fmt::print("{:20} {:<10} llcs\n", "", "threads");
        for (const WorkloadOption& option : workload.options)
            fmt::print("{:20} {}\n", "", describe(option));
    }
}

void print_metrics_of(std::string_view whose, std::span<const WorkloadMetric> metrics) {
    for (const WorkloadMetric& metric : metrics)
        fmt::print("{:<10} {:<10} {:<6} {:<7} {}\n", whose, metric.name, metric.unit, metric.better, metric.meaning);
}

void print_metrics() {
    fmt::print("{:<10} {:<10} {:<6} {:<7} {}\n", "workload", "metric", "unit", "better", "meaning");
    for (const WorkloadCommand& workload : workload_commands())
        print_metrics_of(workload.name, workload.metrics);
    print_metrics_of("every", runner_metrics());
}

}  // namespace

void add_list(CLI::App& app, Outcome& /*outcome*/) {
    CLI::App* list = app.add_subcommand("list", "List what can be named in commands and configs");
    list->require_subcommand(1);
    list->add_subcommand("policies", "List the placement policies, each with one sentence")->callback(print_policies);
    list->add_subcommand("configs", "List the experiments that pinwise run finds by name")->callback(print_configs);
    list->add_subcommand("workloads", "List the workloads, and what a config may say of each")
        ->callback(print_workloads);
    list->add_subcommand("metrics", "List what workloads and pinwise measure, and which way is better")
        ->callback(print_metrics);
}

}  // namespace pinwise::cli
