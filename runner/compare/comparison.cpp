#include "runner/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runner/stats/rank_test.hpp"
#include "runner/stats/summary.hpp"

namespace pinwise {
namespace {

using RowPointers = std::vector<const TrialRow*>;

/// Splits rows into groups of equal key, in order of first appearance.
template <class Key>
std::vector<RowPointers> group_by(const RowPointers& rows, Key key) {
    std::vector<RowPointers> groups;
    std::map<decltype(key(*rows.front())), std::size_t> index;
    for (const TrialRow* const row : rows) {
        const auto [found, is_new] = index.try_emplace(key(*row), groups.size());
        if (is_new) groups.emplace_back();
        groups[found->second].push_back(row);
    }
    return groups;
}

auto case_key(const TrialRow& row) {
    return std::tuple(row.workload, row.parameters, row.threads);
}
auto strategy_key(const TrialRow& row) {
    return std::tuple(row.cpus, row.mask, row.policy, row.bind, row.memory, row.migration, row.balance);
}

/// The first row of every trial: what does not depend on the metric.
RowPointers one_row_per_trial(const RowPointers& rows) {
    RowPointers first;
    std::set<int> seen;
    for (const TrialRow* const row : rows)
        if (seen.insert(row->trial).second) first.push_back(row);
    return first;
}

template <class Number>
std::optional<double> median_of(const RowPointers& trials, std::optional<Number> TrialRow::*field) {
    std::vector<double> values;
    for (const TrialRow* const trial : trials)
        if (trial->*field) values.push_back(static_cast<double>(*(trial->*field)));
    return median(values);
}

/// Texts with how often each occurs, in order of first appearance.
std::vector<std::pair<std::string, int>> count_texts(const RowPointers& trials, std::string TrialRow::*field) {
    std::vector<std::pair<std::string, int>> counts;
    for (const TrialRow* const trial : trials) {
        const std::string& text = trial->*field;
        if (text.empty()) continue;
        const auto found = std::ranges::find(counts, text, &std::pair<std::string, int>::first);
        if (found == counts.end()) {
            counts.emplace_back(text, 1);
        } else {
            ++found->second;
        }
    }
    return counts;
}

/// "timeout(60 s) (2 trials)"
std::vector<std::string> counted_reasons(const RowPointers& trials) {
    std::vector<std::string> texts;
    for (const auto& [reason, count] : count_texts(trials, &TrialRow::reason))
        texts.push_back(fmt::format("{} ({} trial{})", reason, count, count == 1 ? "" : "s"));
    return texts;
}

void add_placement(const RowPointers& finished, StrategyColumn& column) {
    const auto counts = count_texts(finished, &TrialRow::start_counts);
    const auto most = std::ranges::max_element(counts, {}, &std::pair<std::string, int>::second);
    if (most != counts.end()) std::tie(column.start_counts, column.trials_with_start_counts) = *most;
    column.most_threads_on_one_cpu = median_of(finished, &TrialRow::most_threads_on_one_cpu);
    column.llcs_used = median_of(finished, &TrialRow::llcs_used);
    column.migrations = median_of(finished, &TrialRow::migrations);
    for (const auto& [means, count] : count_texts(finished, &TrialRow::first_cpu_means))
        column.first_cpu_means += fmt::format("{}{}", column.first_cpu_means.empty() ? "" : "+", means);
    column.trials_affinity_not_kept = static_cast<int>(
        std::ranges::count_if(finished, [](const TrialRow* trial) { return trial->affinity_kept == "no"; }));
    const auto without =
        std::ranges::find_if(finished, [](const TrialRow* trial) { return trial->start_counts.empty(); });
    if (without != finished.end()) column.why_no_placement = (*without)->reason;
}

/// Every label word with the number of trials that have it, in order of first appearance.
std::vector<std::pair<std::string, int>> count_labels(const RowPointers& trials) {
    std::vector<std::pair<std::string, int>> counts;
    for (const TrialRow* const trial : trials) {
        std::istringstream words(trial->labels);
        for (std::string word; words >> word;) {
            const auto found = std::ranges::find(counts, word, &std::pair<std::string, int>::first);
            if (found == counts.end()) {
                counts.emplace_back(word, 1);
            } else {
                ++found->second;
            }
        }
    }
    return counts;
}

StrategyColumn make_column(const RowPointers& rows) {
    const TrialRow& first = *rows.front();
    StrategyColumn column;
    std::tie(column.cpus, column.mask, column.policy, column.bind, column.memory, column.migration, column.balance) =
        strategy_key(first);
    RowPointers finished;
    RowPointers failed;
    for (const TrialRow* const trial : one_row_per_trial(rows)) {
        (trial->status == "ok" ? finished : failed).push_back(trial);
        column.trial_numbers.push_back(trial->trial);
    }
    column.trials = static_cast<int>(finished.size() + failed.size());
    column.failed = static_cast<int>(failed.size());
    column.failures = counted_reasons(failed);
    column.labels = count_labels(one_row_per_trial(rows));
    column.remarks = counted_reasons(finished);
    add_placement(finished, column);
    return column;
}

Cell make_cell(const RowPointers& rows, const MetricRow& metric, const StrategyColumn& column) {
    Cell cell;
    cell.failed = column.failed;
    for (const TrialRow* const row : rows) {
        if (row->metric != metric.metric || row->status != "ok" || !row->value) continue;
        cell.values.push_back(*row->value);
        cell.value_trials.push_back(row->trial);
    }
    cell.mean = metric.better == Better::higher ? harmonic_mean(cell.values) : arithmetic_mean(cell.values);
    cell.coefficient_of_variation = coefficient_of_variation(cell.values);
    cell.min = minimum(cell.values);
    cell.max = maximum(cell.values);
    if (!cell.mean)
        cell.why_no_mean = !cell.values.empty() ? "a rate of 0"
                           : cell.failed > 0    ? fmt::format("{} failed", cell.failed)
                                                : "no trial";
    if (!cell.coefficient_of_variation)
        cell.why_no_variation = cell.values.size() == 1 ? "1 trial" : cell.values.empty() ? cell.why_no_mean : "mean 0";
    return cell;
}

void compare_with(const Cell& baseline, Better better, Cell& cell) {
    if (!cell.mean) {
        cell.why_no_change = cell.why_no_mean;
        return;
    }
    if (!baseline.mean) {
        cell.why_no_change = "no baseline";
        return;
    }
    cell.change_percent = change_percent(*baseline.mean, *cell.mean, better);
    if (!cell.change_percent) {
        cell.why_no_change = "baseline 0";
        return;
    }
    cell.p_value = mann_whitney_p(baseline.values, cell.values);
    const bool enough =
        std::min(baseline.values.size(), cell.values.size()) >= static_cast<std::size_t>(fewest_for_test);
    cell.verdict = !enough ? Verdict::too_few : *cell.p_value <= test_level ? Verdict::differs : Verdict::noise;
}

/// The metrics that occur, the runner's own times last.
std::vector<MetricRow> find_metrics(const RowPointers& rows) {
    std::vector<MetricRow> metrics;
    for (const TrialRow* const row : rows) {
        if (std::ranges::find(metrics, row->metric, &MetricRow::metric) == metrics.end())
            metrics.push_back({row->metric, row->unit, row->better, {}});
    }
    std::ranges::stable_sort(metrics, {}, [](const MetricRow& row) {
        return row.metric == "wall" || row.metric == "user" || row.metric == "sys";
    });
    return metrics;
}

Comparison compare_case(const RowPointers& rows) {
    Comparison comparison;
    std::tie(comparison.workload, comparison.parameters, comparison.threads) = case_key(*rows.front());
    const std::vector<RowPointers> strategies = group_by(rows, strategy_key);
    for (const RowPointers& strategy : strategies)
        comparison.columns.push_back(make_column(strategy));
    comparison.rows = find_metrics(rows);
    for (MetricRow& metric : comparison.rows) {
        for (std::size_t i = 0; i < strategies.size(); ++i) {
            metric.cells.push_back(make_cell(strategies[i], metric, comparison.columns[i]));
            if (i > 0) compare_with(metric.cells.front(), metric.better, metric.cells[i]);
        }
    }
    return comparison;
}

}  // namespace

std::vector<Comparison> compare(std::span<const TrialRow> rows) {
    RowPointers sorted;
    for (const TrialRow& row : rows)
        sorted.push_back(&row);
    std::ranges::stable_sort(sorted, {}, &TrialRow::trial);
    std::vector<Comparison> comparisons;
    if (sorted.empty()) return comparisons;
    for (const RowPointers& each : group_by(sorted, case_key))
        comparisons.push_back(compare_case(each));
    return comparisons;
}

std::optional<double> change_percent(double baseline, double value, Better better) {
    if (baseline == 0) return std::nullopt;
    const double gain = better == Better::higher ? value - baseline : baseline - value;
    const double percent = 100 * (gain / std::fabs(baseline));
    return std::isfinite(percent) ? std::optional(percent) : std::nullopt;
}

}  // namespace pinwise
