#include "placer/policy/plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "placer/topology/cpu_list.hpp"

namespace pinwise {

namespace {

Result<void> check(const DomainTree& tree, const PlacementPolicy& policy, const PlacementRequest& request) {
    if (!policy.places_threads()) {
        return usage_error(
            "policy os leaves it to the running kernel: name the kernel's rule to predict it, such as idlest@6.0");
    }
    if (request.threads < 1 || request.threads > max_plan_threads) {
        return usage_error(fmt::format("{} threads: give 1 to {}", request.threads, max_plan_threads));
    }
    if (request.allowed.empty()) return usage_error("no CPU is allowed");
    if (!request.allowed.is_subset_of(tree.cpus())) {
        return usage_error(fmt::format("allowed CPUs {} are not online CPUs of this machine",
                                       format_cpu_list(request.allowed - tree.cpus())));
    }
    if (!tree.cpus().test(request.waker))
        return usage_error(fmt::format("waker CPU {} is not an online CPU of this machine", request.waker));
    return policy.check(request.allowed);
}

}  // namespace

Result<Plan> make_plan(const DomainTree& tree, const PlacementPolicy& policy, const PlacementRequest& request,
                       Reasons reasons) {
    if (auto valid = check(tree, policy, request); !valid) return tl::unexpected(valid.error());
    LoadView load(tree, request.load_model);
    PlacementQuery query{tree, load, request.allowed, request.waker, 0, request.preferred_node};
    Plan plan;
    plan.policy = policy.name();
    plan.threads.reserve(static_cast<std::size_t>(request.threads));
    for (int thread = 0; thread < request.threads; ++thread) {
        Placement placement;
        placement.thread = thread;
        query.thread_index = thread;
        std::vector<PlacementStep>* why = reasons == Reasons::keep ? &placement.steps : nullptr;
        if (thread == 0 && !policy.places_initial_thread()) {
            placement.cpu = request.waker;
            if (why != nullptr) why->push_back({"waker", "the creating thread"});
        } else {
            placement.cpu = policy.select(query, why);
        }
        if (thread == 0) query.waker = placement.cpu;
        placement.node = tree.node_of(placement.cpu);
        placement.llc = tree.llc_of(placement.cpu);
        load.add(placement.cpu);
        plan.threads.push_back(std::move(placement));
    }
    return plan;
}

PlacementSummary summarize(const DomainTree& tree, std::span<const int> cpus) {
    // Nodes in no order of their own: -1 (no node) is moved behind the others.
    constexpr auto node_order = [](int a, int b) { return static_cast<unsigned>(a) < static_cast<unsigned>(b); };
    std::map<int, int, decltype(node_order)> per_node(node_order);
    for (int cpu = tree.cpus().first(); cpu >= 0; cpu = tree.cpus().next(cpu))
        per_node.try_emplace(tree.node_of(cpu), 0);
    std::map<int, int> per_cpu;
    std::set<int> llcs;
    for (const int cpu : cpus) {
        if (!tree.cpus().test(cpu)) continue;
        ++per_node[tree.node_of(cpu)];
        ++per_cpu[cpu];
        llcs.insert(tree.llc_of(cpu));
    }
    PlacementSummary summary;
    for (const auto& [node, threads] : per_node)
        summary.threads_per_node.push_back(threads);
    for (const auto& [cpu, threads] : per_cpu)
        summary.most_on_one_cpu = std::max(summary.most_on_one_cpu, threads);
    summary.cpus_used = static_cast<int>(per_cpu.size());
    summary.llcs_used = static_cast<int>(llcs.size());
    return summary;
}

std::string format_node_counts(std::span<const int> threads_per_node) {
    std::string text;
    for (const int threads : threads_per_node)
        text += fmt::format("{{{}}}", threads);
    return text;
}

}  // namespace pinwise
