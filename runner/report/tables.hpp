#pragma once
/// The tables of a page. Pure.

#include "runner/report/analysis.hpp"
#include "runner/report/html.hpp"

namespace pinwise::report {

/// Who placed the threads of each column, on which CPUs, where they started, and which trials those are.
Html strategies_table(const ComparisonReport& report, const std::string& id);

/// Mean, change, interval and spread of one metric, a row a strategy.
Html metric_table(const Comparison& comparison, const MetricRow& row);

/// The node matrix of one metric, with the percentage of the local value.
Html matrix_table(const NodeMatrix& matrix, const MetricRow& row);

/// Every trial of the comparison with all its values: where every other number of the page comes from. `id` is the
/// prefix of the rows' anchors.
Html trials_table(const ComparisonReport& report, const std::string& id);

/// The threads of the trials that are shown in the maps.
Html threads_table(const ComparisonReport& report);

/// A table in a region that scrolls by itself, so that the page does not.
Html scrolling(const std::string& name, const Html& table);

}  // namespace pinwise::report
