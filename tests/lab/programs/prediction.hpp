#pragma once
/// A run of spin_threads on a real kernel, and what the model of that kernel's rule says of it. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placer/policy/plan.hpp"
#include "placer/result.hpp"
#include "tests/lab/programs/placement_run.hpp"

namespace pinwise::lab {

struct Prediction {
    int creator_cpu = -1;        ///< where the creator created the first thread: the plan's waker
    std::vector<int> predicted;  ///< CPU of each thread, the creator first
    std::vector<int> chosen;     ///< by the kernel (sched_wakeup_new), the creator on creator_cpu
    PlacementSummary predicted_summary;
    PlacementSummary chosen_summary;
    int creator_moves =
        0;  ///< times the creator was found on another CPU while it created: the plan does not know that
    int early_migrations = 0;  ///< migrations of the threads before the last creation, the creator's included

    /// Same node counts and as many CPUs used. Which CPU or LLC of equals it is depends on what ran before.
    [[nodiscard]] bool agrees() const;
    /// What differed, and what the plan could not know: one line.
    [[nodiscard]] std::string difference(const DomainTree& tree) const;
};

/// `policy` places the threads under `allowed`. Error: a thread that the trace does not know, or what make_plan() says.
Result<Prediction> predict(const DomainTree& tree, const PlacementPolicy& policy, const CpuSet& allowed,
                           std::span<const SchedEvent> events, std::span<const SpinningThread> threads);

}  // namespace pinwise::lab
