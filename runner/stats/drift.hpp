#pragma once
/// Did the machine change while it was measured? Pure.

#include <optional>
#include <span>

namespace pinwise {

/// Fewer values show no trend that chance would not.
inline constexpr std::size_t fewest_for_trend = 8;

/// Two-sided p-value of the Mann-Kendall test for a trend of values in the order they were measured (Mann, 1945;
/// Kendall, "Rank Correlation Methods", 1975), by the normal approximation with tie and continuity correction. Absent
/// below fewest_for_trend values.
std::optional<double> trend_p(std::span<const double> in_order);

/// Change from the first half to the second, in percent of the first half's median. Absent below two values and for a
/// median of zero.
std::optional<double> drift_percent(std::span<const double> in_order);

}  // namespace pinwise
