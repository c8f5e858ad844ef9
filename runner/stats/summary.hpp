#pragma once
/// Summaries of a sample. Pure. Every one is absent where it is not defined, never a NaN.

#include <optional>
#include <span>

namespace pinwise {

/// Sum / n, computed so that the sum cannot overflow. Absent for an empty sample. The mean for times.
std::optional<double> arithmetic_mean(std::span<const double> sample);
/// n / sum of reciprocals: the mean for rates, the rate of doing equal work in each repetition. Absent for an empty
/// sample and when a value is not positive.
std::optional<double> harmonic_mean(std::span<const double> sample);
/// n-th root of the product, through logarithms: the mean of ratios. Absent for an empty sample and when a value is not
/// positive.
std::optional<double> geometric_mean(std::span<const double> sample);
/// Sample standard deviation (n - 1), two passes. Absent below two values.
std::optional<double> standard_deviation(std::span<const double> sample);
/// Standard deviation in percent of the arithmetic mean. Absent below two values and for a mean of zero.
std::optional<double> coefficient_of_variation(std::span<const double> sample);
/// Middle value; the mean of the two middle values of an even sample. Absent for an empty sample.
std::optional<double> median(std::span<const double> sample);
std::optional<double> minimum(std::span<const double> sample);
std::optional<double> maximum(std::span<const double> sample);

}  // namespace pinwise
