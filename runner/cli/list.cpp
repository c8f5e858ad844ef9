#include <fmt/core.h>

#include "placer/policy/policies.hpp"
#include "runner/cli/commands.hpp"

namespace pinwise::cli {

void add_list(CLI::App& app, Outcome& /*outcome*/) {
    CLI::App* list = app.add_subcommand("list", "List what can be named in commands and configs");
    list->require_subcommand(1);
    list->add_subcommand("policies", "List the placement policies, each with one sentence")->callback([] {
        for (const PolicyInfo& policy : list_policies())
            fmt::print("{:<14} {}\n", policy.name, policy.summary);
    });
}

}  // namespace pinwise::cli
