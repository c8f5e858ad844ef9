#include "runner/compare/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "runner/compare/cells.hpp"
#include "runner/compare/column_facts.hpp"
#include "runner/compare/row_filter.hpp"
#include "runner/stats/drift.hpp"
#include "runner/stats/outliers.hpp"
#include "runner/stats/rank_test.hpp"
#include "runner/stats/summary.hpp"

namespace pinwise {
namespace {

std::string trials_text(std::size_t count) {
    return fmt::format("{} trial{}", count, count == 1 ? "" : "s");
}

MeanKind mean_kind(Better better) {
    return better == Better::higher ? MeanKind::harmonic : MeanKind::arithmetic;
}

std::optional<double> mean_of(std::span<const double> values, Better better) {
    return better == Better::higher ? harmonic_mean(values) : arithmetic_mean(values);
}

/// Trend and drift in the order the trials ran in; where they ran in several files, they did not run in one go.
void add_drift(std::vector<Observation> series, Cell& cell) {
    if (series.empty() || series.front().id.file != series.back().id.file) return;
    std::ranges::stable_sort(series, {}, &Observation::position);
    std::vector<double> in_order;
    for (const Observation& each : series)
        in_order.push_back(each.value);
    cell.trend_p = trend_p(in_order);
    cell.drift_percent = drift_percent(in_order);
}

Cell make_cell(std::span<const Observation> series, int failed, Better better) {
    Cell cell;
    cell.failed = failed;
    for (const Observation& each : series) {
        cell.values.push_back(each.value);
        cell.value_trials.push_back(each.id.trial);
        cell.value_positions.push_back(each.position);
        cell.value_states.push_back(each.state);
    }
    cell.mean = mean_of(cell.values, better);
    cell.coefficient_of_variation = coefficient_of_variation(cell.values);
    cell.median = median(cell.values);
    cell.min = minimum(cell.values);
    cell.max = maximum(cell.values);
    cell.outliers = static_cast<int>(outliers(cell.values).size());
    cell.two_values = two_values(cell.values);
    add_drift({series.begin(), series.end()}, cell);
    if (!cell.mean)
        cell.why_no_mean = !cell.values.empty() ? fmt::format("a rate of {}", *cell.min < 0 ? "less than 0" : "0")
                           : failed > 0         ? fmt::format("{} failed", failed)
                                                : "no trial";
    if (!cell.coefficient_of_variation)
        cell.why_no_variation = cell.values.size() == 1 ? "1 trial" : cell.values.empty() ? cell.why_no_mean : "mean 0";
    return cell;
}

/// The middle of the places of one sample lies in the middle half of the other's places.
bool middle_is_among(std::span<const int> places, std::span<const int> others) {
    const int middle = places[places.size() / 2];
    const int before = places[(places.size() - 1) / 2];
    const std::size_t quarter = others.size() / 4;
    return middle >= others[quarter] && before <= others[others.size() - 1 - quarter];
}

/// Two samples that ran in turns have their places in the order mixed. One trial has no turns.
bool ran_in_turns(const Cell& baseline, const Cell& cell, bool one_file) {
    if (!one_file) return false;
    if (std::min(baseline.values.size(), cell.values.size()) < 2) return true;
    std::vector<int> a = baseline.value_positions;
    std::vector<int> b = cell.value_positions;
    for (std::vector<int>* const places : {&a, &b})
        if (!std::ranges::is_sorted(*places)) std::ranges::sort(*places);
    return middle_is_among(a, b) && middle_is_among(b, a);
}

bool drifts(const Cell& cell) {
    return cell.trend_p && *cell.trend_p <= drift_level;
}

std::vector<double> values_in(const Cell& cell, MachineState state) {
    std::vector<double> values;
    for (std::size_t i = 0; i < cell.values.size(); ++i)
        if (cell.value_states[i] == state) values.push_back(cell.values[i]);
    return values;
}

/// Where the states of the machine are known for all trials and differ: the changes state by state, and the samples.
std::vector<Stratum> compare_states(const Cell& baseline, Better better, Cell& cell) {
    std::vector<Stratum> strata;
    int occurring = 0;
    for (const MachineState state : {MachineState::neighbours, MachineState::apart, MachineState::changed}) {
        Stratum stratum{values_in(baseline, state), values_in(cell, state)};
        if (stratum.a.empty() && stratum.b.empty()) continue;
        ++occurring;
        StateChange change{state, static_cast<int>(stratum.a.size()), static_cast<int>(stratum.b.size()), {}};
        const auto from = mean_of(stratum.a, better);
        const auto to = mean_of(stratum.b, better);
        if (from && to) change.change_percent = change_percent(*from, *to, better);
        cell.state_changes.push_back(change);
        strata.push_back(std::move(stratum));
    }
    const bool all_known =
        values_in(baseline, MachineState::unknown).empty() && values_in(cell, MachineState::unknown).empty();
    if (occurring < 2 || !all_known) {
        cell.state_changes.clear();
        return {};
    }
    return strata;
}

void add_interval(const Cell& baseline, Better better, Cell& cell) {
    const auto interval = change_interval(baseline.values, cell.values, mean_kind(better));
    const std::size_t fewest = std::min(baseline.values.size(), cell.values.size());
    if (!interval) {
        cell.why_no_interval = fewest < fewest_for_interval ? trials_text(fewest) : "not defined";
        return;
    }
    // A smaller time is a positive change.
    cell.change_interval = better == Better::higher ? *interval : Interval{-interval->high, -interval->low};
}

void compare_with(const Cell& baseline, Better better, bool one_file, const ComparisonOptions& options, Cell& cell) {
    cell.why_no_change = !cell.mean ? cell.why_no_mean : !baseline.mean ? "no baseline" : "";
    if (cell.why_no_change.empty()) {
        cell.change_percent = change_percent(*baseline.mean, *cell.mean, better);
        if (!cell.change_percent) cell.why_no_change = "baseline 0";
    }
    cell.why_no_interval = cell.why_no_change;
    if (!cell.change_percent) return;
    if (options.intervals) add_interval(baseline, better, cell);
    const std::vector<Stratum> strata = compare_states(baseline, better, cell);
    if (!strata.empty()) cell.p_value = stratified_p(strata);
    if (!cell.p_value) cell.p_value = mann_whitney_p(baseline.values, cell.values);
    cell.interleaved = ran_in_turns(baseline, cell, one_file);
    const bool enough =
        std::min(baseline.values.size(), cell.values.size()) >= static_cast<std::size_t>(fewest_for_test);
    cell.verdict = !enough                                                   ? Verdict::too_few
                   : *cell.p_value > test_level                              ? Verdict::noise
                   : !cell.interleaved && (drifts(baseline) || drifts(cell)) ? Verdict::drift
                                                                             : Verdict::differs;
}

/// A change that the control makes by itself is no change.
void judge_by_noise_floor(MetricRow& row) {
    const auto floor = noise_floor_percent(row);
    if (!floor) return;
    for (Cell& cell : row.cells) {
        const bool within = cell.change_percent && std::fabs(*cell.change_percent) <= std::fabs(*floor);
        if (within && (cell.verdict == Verdict::differs || cell.verdict == Verdict::drift))
            cell.verdict = Verdict::noise;
    }
}

std::vector<Observation> of_arm(std::span<const Observation> series, int arm) {
    std::vector<Observation> chosen;
    for (const Observation& each : series)
        if (each.arm == arm) chosen.push_back(each);
    return chosen;
}

bool has_second_arm(const CollectedColumn& column) {
    const auto arms = [&](int arm) { return std::ranges::find(column.trials, arm, &TrialFacts::arm); };
    return arms(1) != column.trials.end() && arms(2) != column.trials.end();
}

int failed_in_arm(const CollectedColumn& column, int arm) {
    return static_cast<int>(std::ranges::count_if(
        column.trials, [arm](const TrialFacts& trial) { return !trial.finished && trial.arm == arm; }));
}

/// The cells of a metric; those of the baseline's two arms are one each, other columns have theirs together.
MetricRow make_row(const CollectedMetric& metric, std::size_t index, const std::vector<CollectedColumn>& columns,
                   const std::vector<StrategyColumn>& described, const ComparisonOptions& options) {
    MetricRow row{metric.name, metric.unit, metric.better, {}};
    const auto series = [&](std::size_t column) { return std::span<const Observation>(columns[column].series[index]); };
    const bool two_arms = has_second_arm(columns.front());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i == 0 && two_arms) {
            row.cells.push_back(make_cell(of_arm(series(0), 1), failed_in_arm(columns[0], 1), metric.better));
            row.control_again = make_cell(of_arm(series(0), 2), failed_in_arm(columns[0], 2), metric.better);
            compare_with(row.cells.front(), metric.better, true, options, *row.control_again);
            continue;
        }
        row.cells.push_back(make_cell(series(i), described[i].failed, metric.better));
        const bool one_file = columns[i].file == columns[0].file;
        if (i > 0) compare_with(row.cells.front(), metric.better, one_file, options, row.cells[i]);
    }
    judge_by_noise_floor(row);
    return row;
}

/// Brings the column that `name` names to the front: by its file, variant, policy or title as a whole, else by a part
/// of its full name.
Result<void> put_baseline_first(const std::string& name, const Grouping& grouping, std::span<const std::string> files,
                                CollectedCase& in_case) {
    std::vector<std::size_t> whole;
    std::vector<std::size_t> part;
    std::string known;
    for (std::size_t i = 0; i < in_case.columns.size(); ++i) {
        const StrategyColumn column = make_column(in_case.columns[i], grouping, files);
        const std::string title = name_of(column);
        const std::array<std::string, 5> names{column.file, column.variant, column.policy, header_of(column)[0], title};
        if (std::ranges::find(names, name) != names.end()) whole.push_back(i);
        if (title.find(name) != std::string::npos) part.push_back(i);
        known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", title);
    }
    const std::vector<std::size_t>& found = whole.empty() ? part : whole;
    if (found.size() != 1)
        return usage_error(
            fmt::format("--baseline {}: {} column of {} with {} threads is called so; its columns are {}", name,
                        found.empty() ? "no" : "more than one", in_case.first.workload, in_case.first.threads, known));
    const auto baseline = in_case.columns.begin() + static_cast<std::ptrdiff_t>(found.front());
    std::rotate(in_case.columns.begin(), baseline, baseline + 1);
    return {};
}

Comparison compare_case(const CollectedCase& in_case, std::span<const std::string> files,
                        const ComparisonOptions& options) {
    Comparison comparison;
    comparison.workload = in_case.first.workload;
    comparison.parameters = in_case.first.parameters;
    comparison.threads = in_case.first.threads;
    comparison.repeated_values = in_case.repeated_values;
    for (const CollectedColumn& column : in_case.columns)
        comparison.columns.push_back(make_column(column, options.grouping, files));
    if (!options.grouping.columns_have(GroupKey::policy)) {
        StrategyColumn common = comparison.columns.front();
        common.file.clear();
        common.strategies_differ = true;
        comparison.strategy = name_of(common);
    }
    for (std::size_t i = 0; i < in_case.metrics.size(); ++i) {
        const CollectedMetric& metric = in_case.metrics[i];
        if (options.metrics.empty() || matches_any(metric.name, options.metrics))
            comparison.rows.push_back(make_row(metric, i, in_case.columns, comparison.columns, options));
    }
    return comparison;
}

Result<void> check_metrics(std::span<const CollectedCase> cases, const std::vector<std::string>& patterns) {
    std::vector<std::string> known;
    for (const CollectedCase& each : cases) {
        for (const CollectedMetric& metric : each.metrics) {
            if (patterns.empty() || matches_any(metric.name, patterns)) return {};
            if (std::ranges::find(known, metric.name) == known.end()) known.push_back(metric.name);
        }
    }
    if (known.empty()) return {};
    return usage_error(
        fmt::format("--metric {}: no such metric; there are {}", fmt::join(patterns, ","), fmt::join(known, ", ")));
}

}  // namespace

std::string_view to_string(Verdict verdict) {
    constexpr std::array<std::string_view, 5> words{"none", "differs", "noise", "drift", "too-few"};
    return words.at(static_cast<std::size_t>(verdict));
}

Result<std::vector<Comparison>> compare(std::vector<CollectedCase> cases, std::span<const std::string> files,
                                        const ComparisonOptions& options) {
    if (const auto good = check_metrics(cases, options.metrics); !good) return tl::unexpected<Error>(good.error());
    std::vector<Comparison> comparisons;
    for (CollectedCase& each : cases) {
        if (!options.baseline.empty()) {
            const auto found = put_baseline_first(options.baseline, options.grouping, files, each);
            if (!found) return tl::unexpected<Error>(found.error());
        }
        Comparison comparison = compare_case(each, files, options);
        if (!comparison.rows.empty()) comparisons.push_back(std::move(comparison));
    }
    return comparisons;
}

std::vector<Comparison> compare(std::span<const TrialRow> rows, bool intervals) {
    const std::vector<std::string> files{""};
    ComparisonOptions options;
    options.intervals = intervals;
    Collector collector(options.grouping, files);
    for (const TrialRow& row : rows)
        collector.add(row, 0);
    auto comparisons = compare(collector.finish(), files, options);
    return comparisons ? *std::move(comparisons) : std::vector<Comparison>{};
}

std::optional<double> change_percent(double baseline, double value, Better better) {
    if (baseline == 0) return std::nullopt;
    const double gain = better == Better::higher ? value - baseline : baseline - value;
    const double percent = 100 * (gain / std::fabs(baseline));
    return std::isfinite(percent) ? std::optional(percent) : std::nullopt;
}

std::optional<double> noise_floor_percent(const MetricRow& row) {
    return row.control_again ? row.control_again->change_percent : std::nullopt;
}

}  // namespace pinwise
