#include "runner/stats/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "runner/stats/summary.hpp"

namespace pinwise {
namespace {

using Sample = std::vector<double>;

// Efron and Tibshirani, "An Introduction to the Bootstrap", table 14.2: variance of test A of the spatial test data.
// 90 % interval (115.8, 259.6) with acceleration 0.061, from their 2000 resamples; ours are 20000 others.
TEST(BcaInterval, gives_the_published_interval_of_the_spatial_test_data) {
    const Sample scores{48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6,
                        0,  33, 28, 34, 4,  32, 24, 47, 41, 24, 26, 30, 41};
    const auto variance = [](const Sample& sample) {
        const double mean = *arithmetic_mean(sample);
        double sum = 0;
        for (const double value : sample)
            sum += (value - mean) * (value - mean);
        return sum / static_cast<double>(sample.size());
    };
    EXPECT_NEAR(variance(scores), 171.5, 0.05);
    std::mt19937_64 random(1);
    Sample replicates;
    for (int i = 0; i < 20000; ++i) {
        Sample resample;
        for (std::size_t k = 0; k < scores.size(); ++k)
            resample.push_back(scores[random() % scores.size()]);
        replicates.push_back(variance(resample));
    }
    const auto interval = bca_interval(variance(scores), replicates, 0.061, 0.90);
    ASSERT_TRUE(interval);
    EXPECT_NEAR(interval->low, 115.8, 4);
    EXPECT_NEAR(interval->high, 259.6, 6);
}

TEST(BcaInterval, of_a_symmetric_distribution_without_acceleration_is_the_percentile_interval) {
    Sample replicates;
    for (int i = -500; i <= 500; ++i)
        replicates.push_back(i);
    const auto interval = bca_interval(0, replicates, 0, 0.90);
    ASSERT_TRUE(interval);
    EXPECT_NEAR(interval->low, -450, 1.5);
    EXPECT_NEAR(interval->high, 450, 1.5);
}

TEST(BcaInterval, is_absent_without_finite_replicates) {
    Sample none;
    EXPECT_FALSE(bca_interval(0, none, 0, 0.95));
    Sample infinite{1, INFINITY};
    EXPECT_FALSE(bca_interval(1, infinite, 0, 0.95));
}

double normal_cdf(double z) {
    return std::erfc(-z / std::sqrt(2.0)) / 2;
}

double normal_quantile(double probability) {
    double low = -10;
    double high = 10;
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (normal_cdf(middle) < probability ? low : high) = middle;
    }
    return low;
}

/// The definition, with every resample there is instead of some, and its own normal distribution.
Interval exact_interval(const Sample& baseline, const Sample& value, MeanKind kind) {
    const auto mean = [kind](const Sample& sample) {
        return kind == MeanKind::harmonic ? *harmonic_mean(sample) : *arithmetic_mean(sample);
    };
    const auto change = [&](const Sample& from, const Sample& to) {
        return 100 * (mean(to) - mean(from)) / mean(from);
    };
    const auto resamples = [](const Sample& sample) {
        std::vector<Sample> all;
        const std::size_t n = sample.size();
        for (std::size_t code = 0; code < static_cast<std::size_t>(std::pow(n, n) + 0.5); ++code) {
            Sample one;
            for (std::size_t i = 0, rest = code; i < n; ++i, rest /= n)
                one.push_back(sample[rest % n]);
            all.push_back(one);
        }
        return all;
    };
    Sample replicates;
    for (const Sample& from : resamples(baseline))
        for (const Sample& to : resamples(value))
            replicates.push_back(change(from, to));
    std::ranges::sort(replicates);
    double squares = 0;
    double cubes = 0;
    for (const bool first : {true, false}) {
        const Sample& sample = first ? baseline : value;
        Sample left_out;
        for (std::size_t i = 0; i < sample.size(); ++i) {
            Sample rest = sample;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
            left_out.push_back(first ? change(rest, value) : change(baseline, rest));
        }
        for (const double each : left_out) {
            const double n = static_cast<double>(sample.size());
            const double influence = (n - 1) / n * (*arithmetic_mean(left_out) - each);
            squares += influence * influence;
            cubes += influence * influence * influence;
        }
    }
    const double a = cubes / 6 / std::pow(squares, 1.5);
    double below = 0;
    for (const double each : replicates)
        below += each < change(baseline, value) - 1e-9 ? 1 : each < change(baseline, value) + 1e-9 ? 0.5 : 0;
    const double bias = normal_quantile(below / static_cast<double>(replicates.size()));
    const auto end_point = [&](double probability) {
        const double z = bias + normal_quantile(probability);
        const double at = normal_cdf(bias + z / (1 - a * z));
        return replicates[static_cast<std::size_t>(at * static_cast<double>(replicates.size() - 1))];
    };
    return {end_point(0.025), end_point(0.975)};
}

TEST(ChangeInterval, agrees_with_an_independent_computation_over_all_resamples) {
    const Sample baseline{97, 101, 90, 112};
    const Sample value{150, 149, 171, 155};
    for (const MeanKind kind : {MeanKind::arithmetic, MeanKind::harmonic}) {
        const Interval exact = exact_interval(baseline, value, kind);
        const auto interval = change_interval(baseline, value, kind);
        ASSERT_TRUE(interval);
        const double tolerance = (exact.high - exact.low) / 15;
        EXPECT_NEAR(interval->low, exact.low, tolerance);
        EXPECT_NEAR(interval->high, exact.high, tolerance);
    }
}

TEST(ChangeInterval, holds_the_true_change_about_as_often_as_it_says) {
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> times(0, 0.3);
    constexpr int rounds = 300;
    int held = 0;
    for (int round = 0; round < rounds; ++round) {
        Sample baseline(12);
        Sample value(12);
        for (double& each : baseline)
            each = times(random);
        for (double& each : value)
            each = 1.25 * times(random);
        const auto interval = change_interval(baseline, value, MeanKind::arithmetic);
        ASSERT_TRUE(interval);
        held += interval->low <= 25 && 25 <= interval->high ? 1 : 0;
    }
    EXPECT_GE(held, rounds * 0.89) << "of a nominal 95 %; small samples of skewed data fall a little short";
}

TEST(ChangeInterval, is_the_same_every_time_and_in_every_unit) {
    const Sample baseline{1.0, 1.1, 1.2, 1.3, 1.05};
    const Sample value{2.0, 2.1, 2.2, 2.3, 2.05};
    const auto first = change_interval(baseline, value, MeanKind::harmonic);
    const auto again = change_interval(baseline, value, MeanKind::harmonic);
    ASSERT_TRUE(first && again);
    EXPECT_EQ(first->low, again->low);
    EXPECT_EQ(first->high, again->high);
    const auto scaled = [](Sample sample) {
        for (double& each : sample)
            each *= 1e300;
        return sample;
    };
    const auto huge = change_interval(scaled(baseline), scaled(value), MeanKind::harmonic);
    ASSERT_TRUE(huge);
    EXPECT_NEAR(huge->low, first->low, 1e-6);
}

TEST(ChangeInterval, is_absent_where_it_would_mean_nothing) {
    const Sample good{1, 2, 3, 4};
    EXPECT_FALSE(change_interval(Sample{1, 2, 3}, good, MeanKind::arithmetic));
    EXPECT_FALSE(change_interval(good, Sample{}, MeanKind::arithmetic));
    EXPECT_FALSE(change_interval(Sample{0, 0, 0, 0}, good, MeanKind::arithmetic));
    EXPECT_FALSE(change_interval(good, Sample{1, 2, 0, 4}, MeanKind::harmonic));
    const auto constant = change_interval(Sample(5, 2.0), Sample(5, 3.0), MeanKind::arithmetic);
    ASSERT_TRUE(constant);
    EXPECT_NEAR(constant->low, 50, 1e-9);
    EXPECT_NEAR(constant->high, 50, 1e-9);
}

}  // namespace
}  // namespace pinwise
