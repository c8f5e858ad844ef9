#include <fmt/core.h>

#include "placer/policy/policies.hpp"
#include "placer/policy/running_rule.hpp"
#include "placer/topology/running_kernel.hpp"
#include "runner/cli/commands.hpp"

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

}  // namespace

void add_list(CLI::App& app, Outcome& /*outcome*/) {
    CLI::App* list = app.add_subcommand("list", "List what can be named in commands and configs");
    list->require_subcommand(1);
    list->add_subcommand("policies", "List the placement policies, each with one sentence")->callback(print_policies);
}

}  // namespace pinwise::cli
