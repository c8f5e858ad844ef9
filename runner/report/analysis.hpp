#pragma once
/// From what was read to what a page shows: comparisons, answers, placements and plots. Pure.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/compare/comparison.hpp"
#include "runner/compare/node_matrix.hpp"
#include "runner/report/answer.hpp"
#include "runner/report/placement.hpp"
#include "runner/report/results_data.hpp"
#include "runner/report/trial_plots.hpp"

namespace pinwise::report {

/// One workload with its parameters and threads.
struct ComparisonReport {
    Comparison comparison;
    std::optional<NodeMatrix> matrix;
    std::vector<StrategyPlacement> placements;  ///< one a column
    Answer answer;
    std::vector<std::optional<Plot>> trial_plots;  ///< one a metric
    std::vector<std::optional<Plot>> heat_maps;    ///< one for each of matrix_metrics()
    std::vector<Plot> over_time;                   ///< iterations of each kernel, local share
    std::vector<const TrialRow*> trial_rows;       ///< all rows of the comparison, by trial
};

/// One results folder. Points into its ResultsData, which must outlive it.
struct ResultsReport {
    const ResultsData* data = nullptr;
    std::string id;  ///< "r1": before every anchor of the page that belongs to it
    std::vector<ComparisonReport> comparisons;
};

/// `number` counts the results of a page from 1.
ResultsReport analyse(const ResultsData& data, int number);

/// Every plot of the reports, in a fixed order.
std::vector<Plot> all_plots(const std::vector<ResultsReport>& reports);

}  // namespace pinwise::report
