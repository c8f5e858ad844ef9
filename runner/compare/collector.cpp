#include "runner/compare/collector.hpp"

#include <algorithm>
#include <array>

#include "runner/trial/labels.hpp"
#include "runner/trial/runner_metrics.hpp"

namespace pinwise {
namespace {

/// Moves the runner's own times behind the workload's metrics, in columns as in the list of metrics.
void put_own_times_last(CollectedCase& in_case) {
    std::vector<std::size_t> order(in_case.metrics.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return is_runner_metric(in_case.metrics[i].name); });
    std::vector<CollectedMetric> metrics;
    for (const std::size_t i : order)
        metrics.push_back(std::move(in_case.metrics[i]));
    in_case.metrics = std::move(metrics);
    for (CollectedColumn& column : in_case.columns) {
        column.series.resize(order.size());
        std::vector<std::vector<Observation>> series;
        for (const std::size_t i : order)
            series.push_back(std::move(column.series[i]));
        column.series = std::move(series);
    }
}

/// Puts a metric's values in the order of trials, one of each. Returns how many more there were.
int order_values(std::vector<Observation>& series) {
    std::ranges::stable_sort(series, {}, &Observation::id);
    const auto repeated = std::ranges::unique(series, {}, &Observation::id);
    const auto count = static_cast<int>(repeated.size());
    series.erase(repeated.begin(), repeated.end());
    return count;
}

}  // namespace

std::string_view to_string(MachineState state) {
    constexpr std::array<std::string_view, 4> words{"not probed", "neighbours", "apart", "changed"};
    return words.at(static_cast<std::size_t>(state));
}

MachineState machine_state(std::optional<double> before_ns, std::optional<double> after_ns) {
    if (!before_ns || !after_ns) return MachineState::unknown;
    const bool near_before = *before_ns <= slowest_neighbour_ns;
    const bool near_after = *after_ns <= slowest_neighbour_ns;
    if (near_before != near_after) return MachineState::changed;
    return near_before ? MachineState::neighbours : MachineState::apart;
}

Collector::Collector(Grouping grouping, std::vector<std::string> files)
    : grouping_(std::move(grouping)), files_(std::move(files)) {}

Collector::Place Collector::place_of(const TrialRow& row, int file) {
    const std::string& name = files_.at(static_cast<std::size_t>(file));
    key_.clear();
    append_key(key_, grouping_.tables, row, name);
    const std::size_t case_length = key_.size();
    append_key(key_, grouping_.columns, row, name);
    if (key_ == last_key_ && !cases_.empty()) return last_place_;
    last_key_ = key_;
    if (const auto known = places_.find(key_); known != places_.end()) return known->second;
    const auto [in_case, is_new_case] = case_places_.try_emplace(key_.substr(0, case_length), cases_.size());
    if (is_new_case) cases_.push_back({row, file, {}, {}});
    std::vector<CollectedColumn>& columns = cases_[in_case->second].columns;
    columns.push_back({row, file, {}, {}, {}});
    return places_[key_] = {in_case->second, columns.size() - 1};
}

/// Metrics of a trial come in the same order every time: the one after the last is the likeliest. The same name in
/// another unit is another metric.
std::size_t Collector::metric_of(CollectedCase& in_case, const TrialRow& row, std::size_t after) {
    const auto is_it = [&row](const CollectedMetric& metric) {
        return metric.name == row.metric && metric.unit == row.unit && metric.better == row.better;
    };
    const std::size_t next = after + 1 < in_case.metrics.size() ? after + 1 : 0;
    if (next < in_case.metrics.size() && is_it(in_case.metrics[next])) return next;
    const auto found = std::ranges::find_if(in_case.metrics, is_it);
    if (found != in_case.metrics.end()) return static_cast<std::size_t>(found - in_case.metrics.begin());
    in_case.metrics.push_back({row.metric, row.unit, row.better});
    return in_case.metrics.size() - 1;
}

void Collector::add_trial(CollectedColumn& column, const TrialRow& row, int file) {
    TrialFacts facts;
    facts.id = {file, row.trial};
    facts.arm = row.arm;
    facts.finished = row.status == "ok";
    facts.reason = kept(row.reason);
    facts.start_counts = kept(row.start_counts);
    facts.first_cpu_means = kept(row.first_cpu_means);
    facts.labels = kept(row.labels);
    facts.most_threads_on_one_cpu = row.most_threads_on_one_cpu;
    facts.llcs_used = row.llcs_used;
    facts.migrations = row.migrations;
    facts.piled_up_s = row.piled_up_s;
    facts.affinity_lost = row.affinity_kept == "no";
    column.trials.push_back(facts);
}

void Collector::add(const TrialRow& row, int file) {
    const Place place = place_of(row, file);
    CollectedCase& in_case = cases_[place.in_case];
    CollectedColumn& column = in_case.columns[place.column];
    const TrialId id{file, row.trial};
    if (id != last_trial_ || place != last_place_) {
        const auto number = (static_cast<std::uint64_t>(file) << 32U) | static_cast<std::uint32_t>(row.trial);
        if (column.known.insert(number).second) add_trial(column, row, file);
    }
    last_trial_ = id;
    last_place_ = place;
    last_metric_ = metric_of(in_case, row, last_metric_);
    if (row.status != "ok" || !row.value) return;
    if (column.series.size() <= last_metric_) column.series.resize(last_metric_ + 1);
    column.series[last_metric_].push_back({id, row.position, static_cast<std::int8_t>(row.arm == 2 ? 2 : 1),
                                           machine_state(row.neighbour_before_ns, row.neighbour_after_ns), *row.value});
}

std::vector<CollectedCase> Collector::finish() {
    for (CollectedCase& each : cases_) {
        put_own_times_last(each);
        for (CollectedColumn& column : each.columns) {
            std::ranges::sort(column.trials, {}, &TrialFacts::id);
            for (std::vector<Observation>& series : column.series)
                each.repeated_values += order_values(series);
        }
        std::ranges::stable_sort(each.columns, {},
                                 [](const CollectedColumn& column) { return column.trials.front().id; });
    }
    std::ranges::stable_sort(cases_, {},
                             [](const CollectedCase& each) { return each.columns.front().trials.front().id; });
    return std::move(cases_);
}

}  // namespace pinwise
