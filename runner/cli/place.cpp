#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/load_machine.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/cpu_options.hpp"
#include "runner/cli/decimal_number.hpp"
#include "runner/record/csv_writer.hpp"

namespace pinwise::cli {

namespace {

struct PlaceOptions {
    int threads = 0;
    CpuOptions cpus;
    std::optional<int> waker;
    std::string policy = "idlest";
    std::string topology = "live";
    std::string format = "text";
    bool explain = false;
};

std::string node_name(int node) {
    return node < 0 ? "-" : std::to_string(node);
}

/// All steps in one line.
std::string reason(const Placement& placement) {
    std::string text;
    for (const PlacementStep& step : placement.steps) {
        if (!text.empty()) text += "; ";
        text += fmt::format("{}: {}", step.level, step.text);
    }
    return text;
}

void print_csv(const Plan& plan) {
    CsvWriter csv;
    for (const std::string_view column : {"thread", "cpu", "node", "llc", "reason"})
        csv.text(column);
    csv.end_record();
    for (const Placement& placement : plan.threads) {
        csv.number(std::int64_t{placement.thread}).number(std::int64_t{placement.cpu});
        placement.node < 0 ? csv.empty() : csv.number(std::int64_t{placement.node});
        csv.number(std::int64_t{placement.llc}).text(reason(placement));
        csv.end_record();
    }
    fmt::print("{}", csv.str());
}

void print_text(const DomainTree& tree, const Plan& plan, bool explain) {
    fmt::print("{:>6} {:>6} {:>5} {:>5}\n", "thread", "cpu", "node", "llc");
    std::vector<int> cpus;
    for (const Placement& placement : plan.threads) {
        cpus.push_back(placement.cpu);
        fmt::print("{:>6} {:>6} {:>5} {:>5}\n", placement.thread, placement.cpu, node_name(placement.node),
                   placement.llc);
        if (!explain) continue;
        for (const PlacementStep& step : placement.steps)
            fmt::print("         {:<9} {}\n", step.level, step.text);
    }
    const PlacementSummary summary = summarize(tree, cpus);
    fmt::print("{}: {} threads {}, {} CPUs used, {} LLCs, at most {} on one CPU\n", plan.policy, cpus.size(),
               format_node_counts(summary.threads_per_node), summary.cpus_used, summary.llcs_used,
               summary.most_on_one_cpu);
}

Result<void> place(const PlaceOptions& options) {
    const auto machine = load_machine(options.topology);
    if (!machine) return tl::unexpected(machine.error());
    const auto policy = make_policy(options.policy);
    if (!policy) return tl::unexpected(policy.error());
    const auto allowed = allowed_cpus(*machine, options.cpus);
    if (!allowed) return tl::unexpected(allowed.error());
    const DomainTree tree = DomainTree::build(*machine);
    PlacementRequest request;
    request.threads = options.threads;
    request.allowed = *allowed;
    request.waker = options.waker.value_or(allowed->first());
    const bool reasons = options.explain || options.format == "csv";
    const auto plan = make_plan(tree, **policy, request, reasons ? Reasons::keep : Reasons::drop);
    if (!plan) return tl::unexpected(plan.error());
    if (options.format == "csv") {
        print_csv(*plan);
    } else {
        print_text(tree, *plan, options.explain);
    }
    return {};
}

}  // namespace

void add_place(CLI::App& app, Outcome& outcome) {
    CLI::App* command = app.add_subcommand(
        "place", "Say where a policy puts threads, on this machine or a saved one, without running anything");
    const auto options = std::make_shared<PlaceOptions>();
    command
        ->add_option("-n,--threads", options->threads,
                     "Place N threads; thread 0 is the creating one, on the waker CPU")
        ->check(decimal_number())
        ->required();
    add_cpu_options(*command, options->cpus);
    command->add_option("--waker", options->waker, "Create the threads from this CPU (default: the first allowed one)")
        ->check(decimal_number());
    command->add_option("--policy", options->policy, "Place by this policy (see `pinwise list policies`)")
        ->capture_default_str();
    command
        ->add_option("--topology", options->topology,
                     "Use this machine: live, FILE.xml of lstopo, or synthetic:\"...\"")
        ->capture_default_str();
    command->add_option("--format", options->format, "Print as text or csv (thread,cpu,node,llc,reason)")
        ->check(CLI::IsMember({"text", "csv"}))
        ->capture_default_str();
    command->add_flag("--explain", options->explain, "Say at each sched domain why the thread stays or leaves");
    command->footer(
        "Examples:\n"
        "  pinwise place --threads 8                       the 2022 patch's rule on this machine\n"
        "  pinwise place --threads 8 --policy idlest@5.11 --explain\n"
        "  pinwise place --threads 8 -C 0,16,32,48,64,80,96,112 --waker 32 --topology zen3.xml");
    command->callback([options, &outcome] {
        if (const auto placed = place(*options); !placed) report(placed.error(), outcome);
    });
}

}  // namespace pinwise::cli
