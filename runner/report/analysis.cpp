#include "runner/report/analysis.hpp"

#include <set>

#include <fmt/format.h>

namespace pinwise::report {
namespace {

PositionOfTrial positions_of(const std::vector<TrialRow>& rows) {
    PositionOfTrial positions;
    for (const TrialRow& row : rows)
        positions.try_emplace(row.trial, row.position);
    return positions;
}

using RowsOfTrial = std::map<int, std::vector<const TrialRow*>>;

RowsOfTrial rows_by_trial(const std::vector<TrialRow>& rows) {
    RowsOfTrial trials;
    for (const TrialRow& row : rows)
        trials[row.trial].push_back(&row);
    return trials;
}

std::vector<const TrialRow*> rows_of(const Comparison& comparison, const RowsOfTrial& rows) {
    std::set<int> trials;
    for (const StrategyColumn& column : comparison.columns)
        trials.insert(column.trial_numbers.begin(), column.trial_numbers.end());
    std::vector<const TrialRow*> of_comparison;
    for (const int trial : trials) {
        const auto& of_trial = rows.at(trial);
        of_comparison.insert(of_comparison.end(), of_trial.begin(), of_trial.end());
    }
    return of_comparison;
}

void add_plots(const ResultsData& data, const PositionOfTrial& positions, const std::string& prefix,
               ComparisonReport& report) {
    const Comparison& comparison = report.comparison;
    for (const MetricRow& row : comparison.rows)
        report.trial_plots.push_back(dot_plot(comparison, row, prefix));
    if (report.matrix)
        for (const MetricRow* const row : matrix_metrics(comparison))
            report.heat_maps.push_back(heat_map(*report.matrix, *row, prefix));
    for (const std::string& kernel : kernels_of(comparison, data.details))
        if (auto plot = iterations_plot(comparison, data.details, kernel, prefix))
            report.over_time.push_back(*std::move(plot));
    if (auto plot = local_course_plot(comparison, data.details, prefix)) report.over_time.push_back(*std::move(plot));
    if (auto plot = local_share_plot(comparison, data.details, positions, prefix))
        report.over_time.push_back(*std::move(plot));
}

}  // namespace

ResultsReport analyse(const ResultsData& data, int number) {
    ResultsReport report{&data, fmt::format("r{}", number), {}};
    const PositionOfTrial positions = positions_of(data.rows);
    const RowsOfTrial rows = rows_by_trial(data.rows);
    const FinishedTrials finished = finished_trials(data.rows);
    const ThreadsOfTrial threads = threads_by_trial(data.threads);
    for (Comparison& comparison : compare(data.rows)) {
        ComparisonReport& each = report.comparisons.emplace_back();
        each.comparison = std::move(comparison);
        each.matrix = find_node_matrix(each.comparison);
        for (const StrategyColumn& column : each.comparison.columns)
            each.placements.push_back(placement_of(column, finished, threads));
        each.answer = answer_of(each.comparison, each.placements, data.machine_kind);
        each.trial_rows = rows_of(each.comparison, rows);
        const std::string prefix = file_name_of(fmt::format("{}-{}-{}-{}-threads", report.id, report.comparisons.size(),
                                                            each.comparison.workload, each.comparison.threads));
        add_plots(data, positions, prefix, each);
    }
    return report;
}

std::vector<Plot> all_plots(const std::vector<ResultsReport>& reports) {
    std::vector<Plot> plots;
    for (const ResultsReport& report : reports) {
        for (const ComparisonReport& each : report.comparisons) {
            for (const auto* const optional_plots : {&each.heat_maps, &each.trial_plots})
                for (const auto& plot : *optional_plots)
                    if (plot) plots.push_back(*plot);
            plots.insert(plots.end(), each.over_time.begin(), each.over_time.end());
        }
    }
    return plots;
}

}  // namespace pinwise::report
