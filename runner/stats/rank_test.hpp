#pragma once
/// Can two samples be told apart? Pure.

#include <optional>
#include <span>

namespace pinwise {

/// Two-sided p-value of the Mann-Whitney U test (Mann and Whitney, 1947; Wilcoxon's rank sum): the probability, were
/// both samples of one distribution, of ranks at least as far apart. Exact, ties included, by counting all divisions of
/// the midranks, up to `largest_exact` values in all; beyond by the normal approximation with tie and continuity
/// correction. Absent when a sample is empty.
std::optional<double> mann_whitney_p(std::span<const double> a, std::span<const double> b);

inline constexpr int largest_exact = 60;

}  // namespace pinwise
