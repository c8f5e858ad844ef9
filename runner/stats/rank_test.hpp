#pragma once
/// Can two samples be told apart? Pure.

#include <optional>
#include <span>
#include <vector>

namespace pinwise {

/// Two-sided p-value of the Mann-Whitney U test (Mann and Whitney, 1947; Wilcoxon's rank sum): the probability, were
/// both samples of one distribution, of ranks at least as far apart. Exact, ties included, by counting all divisions of
/// the midranks, up to `largest_exact` values in all; beyond by the normal approximation with tie and continuity
/// correction. Absent when a sample is empty.
std::optional<double> mann_whitney_p(std::span<const double> a, std::span<const double> b);

/// Two samples of the values measured in one state of the machine.
struct Stratum {
    std::vector<double> a;
    std::vector<double> b;
};

/// Two-sided p-value of van Elteren's test (1960): rank sums within each stratum, weighted by 1 / (n + 1), together by
/// the normal approximation with tie correction. Values are only ever compared with values of their own state. Absent
/// where no stratum has values of both samples, or all of its values are equal.
std::optional<double> stratified_p(std::span<const Stratum> strata);

inline constexpr int largest_exact = 50;

}  // namespace pinwise
