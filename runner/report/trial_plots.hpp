#pragma once
/// Pictures of one comparison: every trial as a dot, rates and local share over time, the matrix of nodes. Pure.

#include <map>
#include <optional>
#include <span>
#include <string>

#include "runner/compare/comparison.hpp"
#include "runner/compare/node_matrix.hpp"
#include "runner/report/plot.hpp"
#include "runner/report/workload_detail.hpp"

namespace pinwise::report {

/// Place of each trial in the order they ran in.
using PositionOfTrial = std::map<int, int>;

/// A row a strategy: its trials as dots, upper ones ran earlier, and below them mean and interval. Absent where no
/// trial has a value.
std::optional<Plot> dot_plot(const Comparison& comparison, const MetricRow& row, const std::string& file_prefix);

/// For one kernel: the rate (the time where bytes are not known) of every iteration, the median over a strategy's
/// trials with least and most around it. Absent where nothing of it is known.
std::optional<Plot> iterations_plot(const Comparison& comparison, const std::map<int, WorkloadDetail>& details,
                                    const std::string& kernel, const std::string& file_prefix);

/// Kernels of the comparison's trials with more than one iteration, in order of appearance.
std::vector<std::string> kernels_of(const Comparison& comparison, const std::map<int, WorkloadDetail>& details);

/// Local share of the pages of every trial, in the order they ran in. Absent where it is not known of any.
std::optional<Plot> local_share_plot(const Comparison& comparison, const std::map<int, WorkloadDetail>& details,
                                     const PositionOfTrial& positions, const std::string& file_prefix);

/// How the local share went during the trials, a line a trial. Absent where no trial says so at two moments.
std::optional<Plot> local_course_plot(const Comparison& comparison, const std::map<int, WorkloadDetail>& details,
                                      const std::string& file_prefix);

/// Threads here (rows), arrays there (columns). Absent where no pair has a mean.
std::optional<Plot> heat_map(const NodeMatrix& matrix, const MetricRow& row, const std::string& file_prefix);

}  // namespace pinwise::report
