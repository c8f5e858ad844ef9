#include "runner/compare/column_facts.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "runner/stats/summary.hpp"
#include "runner/trial/labels.hpp"

namespace pinwise {
namespace {

using Trials = std::vector<const TrialFacts*>;
using Counts = std::vector<std::pair<std::string, int>>;

void count(Counts& counts, const std::string& text) {
    const auto found = std::ranges::find(counts, text, &std::pair<std::string, int>::first);
    if (found == counts.end()) {
        counts.emplace_back(text, 1);
    } else {
        ++found->second;
    }
}

/// Texts with how often each occurs, in order of first appearance.
Counts count_texts(const Trials& trials, const std::string* TrialFacts::*field) {
    Counts counts;
    for (const TrialFacts* const trial : trials)
        if (!(trial->*field)->empty()) count(counts, *(trial->*field));
    return counts;
}

/// Every label word with the number of trials that have it, in order of first appearance.
Counts count_labels(std::span<const TrialFacts> trials) {
    Counts counts;
    for (const TrialFacts& trial : trials)
        for (const std::string_view word : label_words(*trial.labels))
            count(counts, std::string(word));
    return counts;
}

/// "timeout(60 s) (2 trials)"
std::vector<std::string> counted_reasons(const Trials& trials) {
    std::vector<std::string> texts;
    for (const auto& [reason, times] : count_texts(trials, &TrialFacts::reason))
        texts.push_back(fmt::format("{} ({} trial{})", reason, times, times == 1 ? "" : "s"));
    return texts;
}

template <class Number>
std::optional<double> median_of(const Trials& trials, std::optional<Number> TrialFacts::*field,
                                std::pair<Number, Number>& range) {
    std::vector<double> values;
    for (const TrialFacts* const trial : trials) {
        const std::optional<Number>& value = trial->*field;
        if (!value) continue;
        range = values.empty() ? std::pair(*value, *value)
                               : std::pair(std::min(range.first, *value), std::max(range.second, *value));
        values.push_back(static_cast<double>(*value));
    }
    return median(values);
}

void add_placement(const Trials& finished, StrategyColumn& column) {
    const Counts counts = count_texts(finished, &TrialFacts::start_counts);
    const auto most = std::ranges::max_element(counts, {}, &std::pair<std::string, int>::second);
    if (most != counts.end()) std::tie(column.start_counts, column.trials_with_start_counts) = *most;
    column.most_threads_on_one_cpu =
        median_of(finished, &TrialFacts::most_threads_on_one_cpu, column.most_threads_range);
    column.llcs_used = median_of(finished, &TrialFacts::llcs_used, column.llcs_range);
    column.migrations = median_of(finished, &TrialFacts::migrations, column.migrations_range);
    column.piled_up_s = median_of(finished, &TrialFacts::piled_up_s, column.piled_up_range);
    for (const auto& [means, times] : count_texts(finished, &TrialFacts::first_cpu_means))
        column.first_cpu_means += fmt::format("{}{}", column.first_cpu_means.empty() ? "" : "+", means);
    column.trials_affinity_not_kept =
        static_cast<int>(std::ranges::count_if(finished, [](const TrialFacts* trial) { return trial->affinity_lost; }));
    const auto without =
        std::ranges::find_if(finished, [](const TrialFacts* trial) { return trial->start_counts->empty(); });
    if (without != finished.end()) column.why_no_placement = *(*without)->reason;
}

void add_names(const CollectedColumn& collected, const Grouping& grouping, std::span<const std::string> files,
               StrategyColumn& column) {
    const TrialRow& first = collected.first;
    column.variant = first.variant;
    column.cpus = first.cpus;
    column.mask = first.mask;
    column.policy = first.policy;
    column.bind = first.bind;
    column.memory = first.memory;
    column.migration = first.migration;
    column.balance = first.balance;
    if (grouping.columns_have(GroupKey::file)) column.file = files[static_cast<std::size_t>(collected.file)];
    column.strategies_differ = grouping.columns_have(GroupKey::policy);
    for (const GroupKey key : {GroupKey::workload, GroupKey::parameters, GroupKey::threads})
        if (grouping.columns_have(key))
            column.also.push_back(fmt::format("{} {}", to_string(key), value_of(key, first, "")));
}

}  // namespace

StrategyColumn make_column(const CollectedColumn& collected, const Grouping& grouping,
                           std::span<const std::string> files) {
    StrategyColumn column;
    add_names(collected, grouping, files, column);
    Trials finished;
    Trials failed;
    for (const TrialFacts& trial : collected.trials) {
        (trial.finished ? finished : failed).push_back(&trial);
        column.trial_numbers.push_back(trial.id.trial);
    }
    column.trials = static_cast<int>(collected.trials.size());
    column.failed = static_cast<int>(failed.size());
    column.failures = counted_reasons(failed);
    column.labels = count_labels(collected.trials);
    column.remarks = counted_reasons(finished);
    add_placement(finished, column);
    return column;
}

}  // namespace pinwise
