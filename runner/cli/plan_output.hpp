#pragma once
/// The plans of `pinwise place` as text, CSV and JSON.

#include <span>
#include <string>
#include <vector>

#include "placer/policy/plan.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise::cli {

/// One policy's plan and what it comes down to.
struct PolicyPlan {
    Plan plan;
    PlacementSummary summary;
    std::vector<int> threads_per_socket;  ///< packages in the machine's order

    /// Threads that are not the first one on their CPU.
    [[nodiscard]] int stacked() const { return static_cast<int>(plan.threads.size()) - summary.cpus_used; }
};

PolicyPlan with_summary(const Machine& machine, const DomainTree& tree, Plan plan);

/// One plan: a row a thread, with its steps where `explain`, and a summary line. Several (no steps): the policies side
/// by side, their summaries, and what differs from the first. `plans` are of the same request and not empty.
std::string plans_as_text(std::span<const PolicyPlan> plans, bool explain);

/// thread,cpu,node,llc,reason; of several plans one below the other, with a first column `policy`.
std::string plans_as_csv(std::span<const PolicyPlan> plans);

/// The request, and per policy its placements with their steps and its summary.
std::string plans_as_json(const Machine& machine, const PlacementRequest& request, std::span<const PolicyPlan> plans);

}  // namespace pinwise::cli
