#pragma once
/// How sure is a change? Bootstrap intervals, the same in every run: the generator and its seed are fixed. Pure.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pinwise {

struct Interval {
    double low = 0;
    double high = 0;
};

/// Confidence of the intervals of a change, for each by itself.
inline constexpr double interval_level = 0.95;
/// Resamples of each interval: the end points are then known to about a twentieth of its length.
inline constexpr int bootstrap_resamples = 2000;
/// An interval from fewer values a side would be narrower than they can tell.
inline constexpr std::size_t fewest_for_interval = 4;
/// With more values in both samples together the mean of each is as good as normal: the interval is then that of the
/// normal distribution (delta method), which a bootstrap would only find more slowly.
inline constexpr std::size_t largest_bootstrap = 1000;

/// Bias-corrected and accelerated interval (Efron, "Better bootstrap confidence intervals", 1987; Efron and Tibshirani,
/// "An Introduction to the Bootstrap", 14.3) from bootstrap replicates of a statistic whose value for the sample is
/// `estimate`. `acceleration` comes from the jackknife. Sorts `replicates`. Absent when there is none or when one is
/// not finite. Replicates that are all on one side of the estimate count as half a replicate on the other.
std::optional<Interval> bca_interval(double estimate, std::vector<double>& replicates, double acceleration,
                                     double level);

enum class MeanKind : std::uint8_t { arithmetic, harmonic };

/// Interval of the change of the mean of `value` against that of `baseline`, in percent of the baseline, positive for a
/// larger mean: BCa, the two samples resampled independently. Absent below fewest_for_interval values a side, for a
/// mean of the baseline that is not positive, and for a harmonic mean over values that are not.
std::optional<Interval> change_interval(std::span<const double> baseline, std::span<const double> value, MeanKind mean);

}  // namespace pinwise
