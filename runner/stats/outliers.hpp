#pragma once
/// Values that do not belong with the rest of a sample. Pure.

#include <optional>
#include <span>
#include <vector>

namespace pinwise {

/// Median of the distances from the median. Absent for an empty sample.
std::optional<double> median_absolute_deviation(std::span<const double> sample);

/// A value whose modified Z-score is beyond it is flagged (Iglewicz and Hoaglin, 1993).
inline constexpr double outlier_score = 3.5;

/// Modified Z-scores, in the sample's order: 0.6745 (x - median) / MAD, or, where more than half of the values are
/// equal, (x - median) / (1.253314 x mean distance from the median). All 0 where all values are equal.
std::vector<double> modified_z_scores(std::span<const double> sample);

/// Positions of the flagged values. Fewer than 4 values cannot tell which of them is the odd one: none.
std::vector<std::size_t> outliers(std::span<const double> sample);

}  // namespace pinwise
