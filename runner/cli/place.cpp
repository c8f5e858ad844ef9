#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/policy/running_rule.hpp"
#include "placer/topology/load_machine.hpp"
#include "placer/topology/running_kernel.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/cpu_options.hpp"
#include "runner/cli/decimal_number.hpp"
#include "runner/cli/plan_output.hpp"
#include "runner/cli/topology_options.hpp"

namespace pinwise::cli {

namespace {

struct PlaceOptions {
    int threads = 0;
    CpuOptions cpus;
    std::optional<int> waker;
    std::optional<int> preferred_node;
    std::string load = std::string(to_string(LoadModel::fresh));
    std::vector<std::string> policies{"idlest"};
    std::string topology = "live";
    std::string format = "text";
    bool explain = false;
};

/// The policy of that name; where it is the running kernel's, with a note that says which rule that is and why.
Result<std::unique_ptr<PlacementPolicy>> named_policy(const std::string& name) {
    const auto meant = rule_meant_by(name, running_kernel());
    if (!meant) return tl::unexpected(meant.error());
    if (!*meant) return make_policy(name);
    const std::string concrete = fmt::format("idlest@{}", (*meant)->rule->name);
    fmt::print(stderr, "pinwise: note: {} is {}: {}\n", name, concrete, (*meant)->why);
    return make_policy(concrete);
}

Result<PlacementRequest> make_request(const PlaceOptions& options, const Machine& machine) {
    const auto allowed = allowed_cpus(machine, options.cpus);
    if (!allowed) return tl::unexpected(allowed.error());
    PlacementRequest request;
    request.threads = options.threads;
    request.allowed = *allowed;
    request.waker = options.waker.value_or(allowed->first());
    request.load_model = options.load == to_string(LoadModel::saturated) ? LoadModel::saturated : LoadModel::fresh;
    if (options.preferred_node) {
        if (machine.node(*options.preferred_node) == nullptr)
            return usage_error(fmt::format("preferred node {} is not a node of this machine", *options.preferred_node));
        request.preferred_node = *options.preferred_node;
    }
    return request;
}

Result<void> place(const PlaceOptions& options) {
    std::vector<std::unique_ptr<PlacementPolicy>> policies;
    for (const std::string& name : options.policies) {
        auto policy = named_policy(name);
        if (!policy) return tl::unexpected(policy.error());
        policies.push_back(std::move(*policy));
    }
    const auto machine = load_machine(options.topology);
    if (!machine) return tl::unexpected(machine.error());
    const auto request = make_request(options, *machine);
    if (!request) return tl::unexpected(request.error());
    const DomainTree tree = DomainTree::build(*machine);
    const bool reasons = options.explain || options.format != "text";
    std::vector<PolicyPlan> plans;
    for (const auto& policy : policies) {
        auto plan = make_plan(tree, *policy, *request, reasons ? Reasons::keep : Reasons::drop);
        if (!plan) return tl::unexpected(plan.error());
        plans.push_back(with_summary(*machine, tree, std::move(*plan)));
    }
    fmt::print("{}", options.format == "csv"    ? plans_as_csv(plans)
                     : options.format == "json" ? plans_as_json(*machine, *request, plans)
                                                : plans_as_text(plans, options.explain));
    return {};
}

}  // namespace

void add_place(CLI::App& app, Outcome& outcome) {
    CLI::App* command = app.add_subcommand(
        "place", "Say where policies put threads, on this machine or a saved one, without running anything");
    const auto options = std::make_shared<PlaceOptions>();
    command
        ->add_option("-n,--threads", options->threads,
                     "Place N threads; thread 0 is the creating one, on the waker CPU where the policy follows its "
                     "creator (idlest, close, spread)")
        ->check(decimal_number())
        ->required();
    add_cpu_options(*command, options->cpus);
    command->add_option("--waker", options->waker, "Create the threads from this CPU (default: the first allowed one)")
        ->check(decimal_number());
    command
        ->add_option(
            "--preferred-node", options->preferred_node,
            "NUMA balancing's preferred node of the creating thread, which kernel rules follow (default: none)")
        ->check(decimal_number());
    command
        ->add_option("--load", options->load,
                     "Once threads share CPUs: fresh (just created) or saturated (have run for long)")
        ->check(CLI::IsMember({to_string(LoadModel::fresh), to_string(LoadModel::saturated)}))
        ->capture_default_str();
    command
        ->add_option("--policy", options->policies,
                     "Place by this policy (see `pinwise list policies`); several, each after its own --policy, are "
                     "compared with the first")
        ->take_all()
        ->allow_extra_args(false)
        ->capture_default_str();
    add_topology_option(*command, options->topology);
    add_format_option(*command, options->format, {"text", "csv", "json"});
    command->add_flag(
        "--explain", options->explain,
        "Say at each sched domain why the thread stays or leaves (text of one policy; csv and json always "
        "do)");
    command->footer(
        "Examples:\n"
        "  pinwise place --threads 8                       the 2022 patch's rule on this machine\n"
        "  pinwise place --threads 8 --policy idlest@5.11 --explain\n"
        "  pinwise place --threads 8 --policy idlest@running --policy llc\n"
        "  pinwise place --threads 8 -C 0,16,32,48,64,80,96,112 --waker 32 --topology zen3.xml");
    command->callback([options, &outcome] {
        if (const auto placed = place(*options); !placed) report(placed.error(), outcome);
    });
}

}  // namespace pinwise::cli
