#include "runner/cli/plan_comparison.hpp"

#include <vector>

#include <fmt/format.h>

namespace pinwise::cli {

namespace {

int threads_on_other_cpus(const Plan& from, const Plan& to) {
    int others = 0;
    for (std::size_t thread = 0; thread < from.threads.size(); ++thread)
        others += from.threads[thread].cpu != to.threads[thread].cpu ? 1 : 0;
    return others;
}

}  // namespace

std::string describe_difference(const PolicyPlan& from, const PolicyPlan& to) {
    const int others = threads_on_other_cpus(from.plan, to.plan);
    if (others == 0) return "no difference";
    std::vector<std::string> parts;
    const auto compare = [&parts](std::string_view what, const auto& before, const auto& after) {
        if (before != after) parts.push_back(fmt::format("{} {} → {}", what, before, after));
    };
    const auto sockets = [](const PolicyPlan& plan) { return format_node_counts(plan.threads_per_socket); };
    const auto nodes = [](const PolicyPlan& plan) { return format_node_counts(plan.summary.threads_per_node); };
    compare("stacked threads", from.stacked(), to.stacked());
    compare("most on one CPU", from.summary.most_on_one_cpu, to.summary.most_on_one_cpu);
    compare("sockets", sockets(from), sockets(to));
    if (sockets(from) != nodes(from) || sockets(to) != nodes(to)) compare("nodes", nodes(from), nodes(to));
    compare("LLCs", from.summary.llcs_used, to.summary.llcs_used);
    parts.push_back(fmt::format("{} of {} threads on another CPU", others, from.plan.threads.size()));
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace pinwise::cli
