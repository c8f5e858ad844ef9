#include "runner/report/placement.hpp"

#include <algorithm>

#include "runner/stats/summary.hpp"

namespace pinwise::report {
namespace {

/// Threads on each CPU; absent when the first CPU of one is not known.
std::optional<std::map<int, int>> threads_on_cpus(const std::vector<const ThreadRow*>& threads) {
    std::map<int, int> counts;
    for (const ThreadRow* const thread : threads) {
        if (!thread->first_cpu) return std::nullopt;
        ++counts[*thread->first_cpu];
    }
    if (counts.empty()) return std::nullopt;
    return counts;
}

}  // namespace

ThreadsOfTrial threads_by_trial(std::span<const ThreadRow> threads) {
    ThreadsOfTrial trials;
    for (const ThreadRow& thread : threads)
        trials[thread.trial].push_back(&thread);
    for (auto& [trial, of_trial] : trials)
        std::ranges::stable_sort(of_trial, {}, &ThreadRow::thread);
    return trials;
}

FinishedTrials finished_trials(std::span<const TrialRow> rows) {
    FinishedTrials finished;
    for (const TrialRow& row : rows)
        if (row.status == "ok") finished.try_emplace(row.trial, &row);
    return finished;
}

StrategyPlacement placement_of(const StrategyColumn& column, const FinishedTrials& finished,
                               const ThreadsOfTrial& threads) {
    StrategyPlacement placement;
    std::vector<double> cpus_used;
    std::vector<double> fullest;
    std::vector<double> piled_up_s;
    bool shows_usual_counts = false;
    for (const int trial : column.trial_numbers) {
        const auto row = finished.find(trial);
        const auto of_trial = threads.find(trial);
        if (row == finished.end() || of_trial == threads.end()) continue;
        const auto counts = threads_on_cpus(of_trial->second);
        if (!counts) continue;
        cpus_used.push_back(static_cast<double>(counts->size()));
        fullest.push_back(std::ranges::max_element(*counts, {}, &std::pair<const int, int>::second)->second);
        if (row->second->piled_up_s) piled_up_s.push_back(*row->second->piled_up_s);
        const bool usual = row->second->start_counts == column.start_counts;
        if (placement.shown_trial && (shows_usual_counts || !usual)) continue;
        placement.shown_trial = trial;
        placement.threads = of_trial->second;
        shows_usual_counts = usual;
    }
    placement.trials_known = static_cast<int>(cpus_used.size());
    placement.cpus_used = median(cpus_used);
    placement.fullest_cpu = median(fullest);
    if (piled_up_s.size() == cpus_used.size()) placement.piled_up_s = median(piled_up_s);
    return placement;
}

}  // namespace pinwise::report
