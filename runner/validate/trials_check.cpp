#include "runner/validate/trials_check.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "runner/trial/labels.hpp"
#include "runner/trial/runner_metrics.hpp"

namespace pinwise {
namespace {

constexpr std::array<std::string_view, 3> yes_or_no{"", "yes", "no"};
constexpr std::array<std::string_view, 4> first_cpu_means{"", "agent", "tracepoint", "getcpu"};
constexpr std::array<std::string_view, 2> statuses{"ok", "failed"};

/// Everything that does not depend on the metric. (`reason` may: a value that is missing has one.)
bool same_trial_cells(const TrialRow& a, const TrialRow& b) {
    const auto key = [](const TrialRow& row) {
        return std::tie(row.repetition, row.position, row.threads, row.workload, row.parameters, row.cpus, row.mask,
                        row.policy, row.bind, row.memory, row.migration, row.balance, row.arm, row.variant, row.status,
                        row.start_counts, row.most_threads_on_one_cpu, row.llcs_used, row.first_cpu_means,
                        row.migrations, row.affinity_kept, row.mem_policy, row.labels, row.neighbour_before_ns,
                        row.neighbour_after_ns, row.piled_up_s);
    };
    return key(a) == key(b);
}

template <class Words>
bool is_one_of(const Words& words, std::string_view text) {
    return std::ranges::find(words, text) != words.end();
}

}  // namespace

void TrialsCheck::row(const TrialRow& row, int line) {
    ++rows_;
    if (trials_.empty() || trials_.back().first.trial != row.trial) {
        trials_.push_back({row, line, false});
        metrics_.clear();
        check_words(row, line);
    } else {
        check_same_trial(row, line);
    }
    check_value(row, line);
}

void TrialsCheck::check_words(const TrialRow& row, int line) {
    if (row.trial < 1 || row.repetition < 1 || row.position < 1)
        problems_.add(file_, line, "trial, repetition and position count from 1");
    if (row.threads < 0) problems_.add(file_, line, "threads is {}", row.threads);
    if (row.workload.empty() || row.policy.empty() || row.cpus.empty())
        problems_.add(file_, line, "workload, policy and cpus must not be empty");
    if (!is_one_of(statuses, row.status))
        problems_.add(file_, line, "status \"{}\" is neither ok nor failed", row.status);
    if (row.status == "failed" && row.reason.empty()) problems_.add(file_, line, "a failed trial without a reason");
    if (!is_one_of(first_cpu_means, row.first_cpu_means))
        problems_.add(file_, line, "first_cpu_means \"{}\" is not known", row.first_cpu_means);
    if (!is_one_of(yes_or_no, row.affinity_kept))
        problems_.add(file_, line, "affinity_kept \"{}\" is neither yes nor no", row.affinity_kept);
    if (row.piled_up_s.value_or(0) < 0) problems_.add(file_, line, "piled_up_s is negative");
    for (const std::string_view label : label_words(row.labels))
        if (find_label(label) == nullptr) problems_.add(file_, line, "label \"{}\" is not known", label);
}

void TrialsCheck::check_same_trial(const TrialRow& row, int line) {
    if (!same_trial_cells(trials_.back().first, row))
        problems_.add(file_, line, "trial {} differs from its own row in line {} in more than the metric", row.trial,
                      trials_.back().line);
}

void TrialsCheck::check_value(const TrialRow& row, int line) {
    if (row.metric.empty() || row.unit.empty()) problems_.add(file_, line, "metric and unit must not be empty");
    if (is_one_of(metrics_, row.metric))
        problems_.add(file_, line, "metric {} of trial {} occurs twice", row.metric, row.trial);
    metrics_.push_back(row.metric);
    if (!row.value && row.reason.empty()) problems_.add(file_, line, "no value, and no reason for it");
    if (row.status == "failed" && !is_runner_metric(row.metric))
        problems_.add(file_, line, "{} of a failed trial: what did not verify is no number", row.metric);
    if (row.metric == runner_metric_names.back()) trials_.back().has_last_row = true;
}

void TrialsCheck::finish() {
    std::unordered_set<int> numbers(trials_.size());
    std::unordered_set<int> positions(trials_.size());
    for (const CheckedTrial& each : trials_) {
        if (!numbers.insert(each.first.trial).second)
            problems_.add(file_, each.line, "trial {} occurs twice, or its rows do not stand together",
                          each.first.trial);
        else if (!positions.insert(each.first.position).second)
            problems_.add(file_, each.line, "position {} occurs twice", each.first.position);
    }
}

CheckedTrials check_trials(const std::string& text, const std::string& file, Problems& problems, std::size_t& rows) {
    TrialsCheck check(file, problems);
    const auto torn_line = for_each_trial_row(text, file, [&](const TrialRow& row, int line) -> Result<void> {
        check.row(row, line);
        return {};
    });
    check.finish();
    rows = check.rows();
    if (!torn_line) {
        problems.add("", 0, torn_line.error().message);
    } else if (*torn_line) {
        problems.add(file, **torn_line, "the last line was torn when its run was ended");
    }
    return check.take_trials();
}

}  // namespace pinwise
