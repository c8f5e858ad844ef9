#pragma once
/// Comparisons the way readers of mmtests know them. Pure.
///
/// What that tool does, and this one after it: rows statistic by statistic (minimum, mean, standard deviation,
/// coefficient of variation, maximum, mean of the best 95 %), within a statistic metric by metric; "Hmean" and what
/// starts with H for rates, "Amean" for times; percentages against the first column, positive when better, a smaller
/// deviation being better; a pair of stars instead of parentheses where Welch's t-test tells the means apart at 5 %.
/// Standard deviation of rates: that of the harmonic mean, h^2 sqrt(sum (1/x - 1/h)^2 / n). Best 95 %: the first
/// floor(0.95 n) values, at least one, best first.

#include <span>
#include <string>
#include <vector>

#include "runner/compare/cells.hpp"
#include "runner/compare/comparison.hpp"

namespace pinwise {

/// Statistics of one sample as mmtests computes them. Absent where they are not defined.
struct MmtestsSummary {
    std::optional<double> min;
    std::optional<double> mean;
    std::optional<double> standard_deviation;
    std::optional<double> coefficient_of_variation;
    std::optional<double> max;
    std::optional<double> best_95_mean;
};

MmtestsSummary mmtests_summary(std::span<const double> values, Better better);

/// One table per comparison.
std::string format_mmtests(std::span<const Comparison> comparisons, const TableOptions& options);

}  // namespace pinwise
