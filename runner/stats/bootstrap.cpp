#include "runner/stats/bootstrap.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/normal.hpp>

namespace pinwise {
namespace {

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers with every compiler and library.
class Generator {
public:
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

private:
    std::uint64_t state_ = 20220217;
};

/// Sum of as many draws with replacement as there are values. A draw is 32 random bits scaled to the size; the bias of
/// size / 2^32 is far below what an interval resolves.
double resampled_sum(std::span<const double> values, Generator& generator) {
    const auto draw = [&](std::uint64_t bits) { return values[(bits * values.size()) >> 32U]; };
    double sum = 0;
    std::size_t left = values.size();
    for (; left >= 2; left -= 2) {
        const std::uint64_t bits = generator.next();
        sum += draw(bits & 0xffffffffU) + draw(bits >> 32U);
    }
    if (left == 1) sum += draw(generator.next() >> 32U);
    return sum;
}

double sum_of(std::span<const double> values) {
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum;
}

/// One side of the comparison: what is averaged (the values, or their reciprocals for a harmonic mean), near 1.
struct Side {
    std::vector<double> terms;
    double sum = 0;

    [[nodiscard]] double count() const { return static_cast<double>(terms.size()); }
};

/// Both sides divided by the largest value of both, so that sums and reciprocals stay in range. A percentage does not
/// change by it.
std::optional<Side> make_side(std::span<const double> sample, double scale, MeanKind mean) {
    Side side;
    for (const double value : sample) {
        const double scaled = value / scale;
        if (mean == MeanKind::harmonic && !(scaled > 0)) return std::nullopt;
        side.terms.push_back(mean == MeanKind::harmonic ? 1 / scaled : scaled);
        if (!std::isfinite(side.terms.back())) return std::nullopt;
    }
    side.sum = sum_of(side.terms);
    return side;
}

/// Percent by which the mean of one side is above that of the other, from the means of the terms.
double change_of(double baseline_term, double value_term, MeanKind mean) {
    const double ratio = mean == MeanKind::harmonic ? baseline_term / value_term : value_term / baseline_term;
    return 100 * (ratio - 1);
}

/// Adds to the sums of squares and cubes of a side's influence values over its size, as the formula of the two-sample
/// acceleration has them (Davison and Hinkley, "Bootstrap Methods and their Application", 5.3).
template <class LeftOut>
void add_influence(const Side& side, LeftOut change_without, double& squares, double& cubes) {
    std::vector<double> changes;
    for (const double term : side.terms)
        changes.push_back(change_without((side.sum - term) / (side.count() - 1)));
    const double mean = sum_of(changes) / side.count();
    for (const double change : changes) {
        const double influence = (side.count() - 1) * (mean - change) / side.count();
        squares += influence * influence;
        cubes += influence * influence * influence;
    }
}

double acceleration_of(const Side& baseline, const Side& value, MeanKind mean) {
    double squares = 0;
    double cubes = 0;
    const double baseline_term = baseline.sum / baseline.count();
    const double value_term = value.sum / value.count();
    add_influence(
        baseline, [&](double term) { return change_of(term, value_term, mean); }, squares, cubes);
    add_influence(
        value, [&](double term) { return change_of(baseline_term, term, mean); }, squares, cubes);
    return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

/// Square of the standard error of a side's mean over that mean.
double relative_variance(const Side& side) {
    const double mean = side.sum / side.count();
    double squares = 0;
    for (const double term : side.terms)
        squares += (term - mean) * (term - mean);
    return squares / (side.count() - 1) / side.count() / (mean * mean);
}

Interval normal_interval(double estimate, const Side& baseline, const Side& value) {
    const double quantile = boost::math::quantile(boost::math::normal(), (1 + interval_level) / 2);
    const double error = (100 + estimate) * std::sqrt(relative_variance(baseline) + relative_variance(value));
    return {estimate - quantile * std::fabs(error), estimate + quantile * std::fabs(error)};
}

}  // namespace

std::optional<Interval> bca_interval(double estimate, std::vector<double>& replicates, double acceleration,
                                     double level) {
    const auto finite = [](double value) { return std::isfinite(value); };
    if (replicates.empty() || !std::ranges::all_of(replicates, finite)) return std::nullopt;
    std::ranges::sort(replicates);
    const auto count = static_cast<double>(replicates.size());
    const auto [first, last] = std::ranges::equal_range(replicates, estimate);
    const double below = static_cast<double>(first - replicates.begin()) + static_cast<double>(last - first) / 2;
    const boost::math::normal normal;
    const double bias = quantile(normal, std::clamp(below, 0.5, count - 0.5) / count);
    const auto end_point = [&](double probability) {
        const double shifted = bias + quantile(normal, probability);
        const double denominator = 1 - acceleration * shifted;
        // An acceleration beyond this is no estimate any more: the plain bias-corrected percentile.
        const double corrected = denominator > 0 ? bias + shifted / denominator : bias + shifted;
        const double position = cdf(normal, corrected) * (count + 1) - 1;
        const double inside = std::clamp(position, 0.0, count - 1);
        const auto lower = static_cast<std::size_t>(inside);
        const std::size_t upper = std::min(lower + 1, replicates.size() - 1);
        return std::lerp(replicates[lower], replicates[upper], inside - static_cast<double>(lower));
    };
    return Interval{end_point((1 - level) / 2), end_point((1 + level) / 2)};
}

std::optional<Interval> change_interval(std::span<const double> baseline, std::span<const double> value,
                                        MeanKind mean) {
    if (std::min(baseline.size(), value.size()) < fewest_for_interval) return std::nullopt;
    double scale = 0;
    for (const std::span<const double> sample : {baseline, value})
        for (const double each : sample)
            scale = std::max(scale, std::fabs(each));
    if (!(scale > 0) || !std::isfinite(scale)) return std::nullopt;
    const auto from = make_side(baseline, scale, mean);
    const auto to = make_side(value, scale, mean);
    if (!from || !to || !(from->sum > 0)) return std::nullopt;
    const double estimate = change_of(from->sum / from->count(), to->sum / to->count(), mean);
    if (baseline.size() + value.size() > largest_bootstrap) return normal_interval(estimate, *from, *to);
    Generator generator;
    std::vector<double> replicates(bootstrap_resamples);
    for (double& replicate : replicates) {
        const double from_term = resampled_sum(from->terms, generator) / from->count();
        const double to_term = resampled_sum(to->terms, generator) / to->count();
        replicate = change_of(from_term, to_term, mean);
    }
    return bca_interval(estimate, replicates, acceleration_of(*from, *to, mean), interval_level);
}

}  // namespace pinwise
