#pragma once
/// The placements of n threads in order of creation, on a machine where nothing else runs.

#include <string>
#include <vector>

#include "placer/policy/policy.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

/// Most threads in one plan.
inline constexpr int max_plan_threads = 1 << 20;

struct PlacementRequest {
    int threads = 1;  ///< the creating thread included
    CpuSet allowed;   ///< not empty
    int waker = 0;    ///< CPU of the creating thread, which creates all others and keeps running
    int preferred_node = -1;
    LoadModel load_model = LoadModel::fresh;
};

struct Placement {
    int thread = 0;
    int cpu = 0;
    int node = -1;  ///< OS index; -1: the CPU is in no node
    int llc = 0;    ///< index into Machine::llcs
    std::vector<PlacementStep> steps;
};

struct Plan {
    std::string policy;
    std::vector<Placement> threads;
};

/// Whether a plan keeps the reason of each step; without it a plan costs only the policy's own time.
enum class Reasons { drop, keep };

/// Every thread stays runnable. Errors (usage): no threads or more than max_plan_threads, an empty mask or one that
/// leaves the machine, a waker that is not online, a policy that leaves it to the kernel, or what
/// PlacementPolicy::check() says.
Result<Plan> make_plan(const DomainTree& tree, const PlacementPolicy& policy, const PlacementRequest& request,
                       Reasons reasons);

/// What a plan, or a set of observed first CPUs, comes down to.
struct PlacementSummary {
    std::vector<int> threads_per_node;  ///< CPU nodes in ascending order; CPUs in no node last, if there are any
    int cpus_used = 0;
    int llcs_used = 0;
    int most_on_one_cpu = 0;
};

/// `cpus`: one entry a thread. CPUs the tree does not know are ignored.
PlacementSummary summarize(const DomainTree& tree, std::span<const int> cpus);

/// "{4}{4}": threads per node, as the kernel mailing list writes it.
std::string format_node_counts(std::span<const int> threads_per_node);

}  // namespace pinwise
