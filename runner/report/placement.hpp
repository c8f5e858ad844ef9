#pragma once
/// Where the threads of a strategy's trials started, thread by thread. Pure.

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runner/compare/comparison.hpp"
#include "runner/record/threads_table.hpp"
#include "runner/record/trials_csv.hpp"

namespace pinwise::report {

struct StrategyPlacement {
    std::optional<double> cpus_used;        ///< median over the trials whose first CPUs are all known
    std::optional<double> fullest_cpu;      ///< median of the most threads on one CPU, over the same trials
    std::optional<double> piled_up_s;       ///< median over the same trials, where it is known of all
    int trials_known = 0;                   ///< how many those are
    std::optional<int> shown_trial;         ///< the first one with the start counts seen most often
    std::vector<const ThreadRow*> threads;  ///< of the shown trial, in order of creation
};

/// Threads of each trial. Pointers into `threads`, which must outlive the result.
using ThreadsOfTrial = std::map<int, std::vector<const ThreadRow*>>;
ThreadsOfTrial threads_by_trial(std::span<const ThreadRow> threads);

/// A row of each trial that finished: what does not depend on the metric. Pointers into `rows`.
using FinishedTrials = std::map<int, const TrialRow*>;
FinishedTrials finished_trials(std::span<const TrialRow> rows);

StrategyPlacement placement_of(const StrategyColumn& column, const FinishedTrials& finished,
                               const ThreadsOfTrial& threads);

}  // namespace pinwise::report
