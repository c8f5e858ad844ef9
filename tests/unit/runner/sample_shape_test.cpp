#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gmock/gmock.h>

#include "runner/stats/drift.hpp"
#include "runner/stats/outliers.hpp"
#include "runner/stats/summary.hpp"
#include "runner/stats/two_valued.hpp"
#include "runner/stats/welch_test.hpp"

namespace pinwise {
namespace {

using Sample = std::vector<double>;
using testing::DoubleNear;
using testing::ElementsAre;

TEST(GeometricMean, is_the_mean_of_ratios_and_does_not_overflow) {
    EXPECT_NEAR(*geometric_mean(Sample{1, 3, 9, 27, 81}), 9, 1e-12);
    EXPECT_NEAR(*geometric_mean(Sample{2, 0.5}), 1, 1e-12);
    EXPECT_NEAR(*geometric_mean(Sample(1000, 1e300)) / 1e300, 1, 1e-10);
    EXPECT_NEAR(*geometric_mean(Sample(1000, 1e-300)) / 1e-300, 1, 1e-10);
    EXPECT_FALSE(geometric_mean({}));
    EXPECT_FALSE(geometric_mean(Sample{1, 0}));
    EXPECT_FALSE(geometric_mean(Sample{1, -1}));
}

TEST(MedianAbsoluteDeviation, of_the_textbook_sample_is_one) {
    EXPECT_DOUBLE_EQ(*median_absolute_deviation(Sample{1, 1, 2, 2, 4, 6, 9}), 1);
    EXPECT_DOUBLE_EQ(*median_absolute_deviation(Sample{5}), 0);
    EXPECT_FALSE(median_absolute_deviation({}));
}

// Iglewicz and Hoaglin's own example.
TEST(Outliers, are_those_of_iglewicz_and_hoaglin) {
    const Sample sample{2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3};
    const auto near = [](double value) { return DoubleNear(value, 0.01); };
    EXPECT_THAT(modified_z_scores(sample), ElementsAre(near(-1.57), near(0.67), near(-0.22), near(0.22), near(-0.67),
                                                       near(-1.57), near(-0.67), near(0.67), near(25.86), near(26.31)));
    EXPECT_THAT(outliers(sample), ElementsAre(8U, 9U));
}

TEST(Outliers, are_found_where_most_values_are_equal_and_not_where_all_are) {
    EXPECT_THAT(outliers(Sample{5, 5, 5, 5, 5, 5, 5, 9}), ElementsAre(7U));
    EXPECT_TRUE(outliers(Sample(10, 5.0)).empty());
    EXPECT_TRUE(outliers(Sample{1, 1, 9}).empty()) << "three values cannot tell which is the odd one";
    EXPECT_TRUE(outliers({}).empty());
}

TEST(TwoValues, are_recognised_with_their_threshold) {
    const auto found = two_values(Sample{42.1, 63.0, 61.5, 43.0, 42.5, 64.2, 62.2, 42.2, 63.1, 44.0});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->low_count, 5);
    EXPECT_EQ(found->high_count, 5);
    EXPECT_DOUBLE_EQ(found->low, 42.5);
    EXPECT_DOUBLE_EQ(found->high, 63.0);
    EXPECT_DOUBLE_EQ(found->threshold, (44.0 + 61.5) / 2);
}

TEST(TwoValues, are_not_one_outlier_nor_equal_values_nor_few) {
    EXPECT_FALSE(two_values(Sample{1, 1.1, 1.2, 1.1, 1, 1.05, 9}));
    EXPECT_FALSE(two_values(Sample(20, 3.0)));
    EXPECT_FALSE(two_values(Sample{1, 1, 9, 9}));
    EXPECT_FALSE(two_values({}));
    EXPECT_TRUE(two_values(Sample{1, 1, 1, 9, 9, 9})) << "equal values in each group are as two-valued as can be";
}

template <class Distribution>
double rate_of_two_values(Distribution distribution, std::size_t size) {
    std::mt19937_64 random(3);
    constexpr int rounds = 1000;
    int found = 0;
    for (int round = 0; round < rounds; ++round) {
        Sample sample(size);
        for (double& value : sample)
            value = distribution(random);
        found += two_values(sample) ? 1 : 0;
    }
    return found / static_cast<double>(rounds);
}

TEST(TwoValues, are_rarely_seen_in_samples_of_one_kind) {
    for (const std::size_t size : {10U, 30U}) {
        EXPECT_LE(rate_of_two_values(std::normal_distribution<double>(100, 5), size), 0.03) << size;
        EXPECT_LE(rate_of_two_values(std::uniform_real_distribution<double>(100, 110), size), 0.03) << size;
        EXPECT_LE(rate_of_two_values(std::lognormal_distribution<double>(0, 0.5), size), 0.03) << size;
    }
}

/// Share of all orders of n different values with as many more rises than falls, or falls than rises.
double trend_p_by_enumeration(const Sample& in_order) {
    const auto rises = [](const Sample& values) {
        int s = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            for (std::size_t j = i + 1; j < values.size(); ++j)
                s += values[j] > values[i] ? 1 : -1;
        return std::abs(s);
    };
    Sample order = in_order;
    std::ranges::sort(order);
    int all = 0;
    int as_far = 0;
    do {
        ++all;
        as_far += rises(order) >= rises(in_order) ? 1 : 0;
    } while (std::next_permutation(order.begin(), order.end()));
    return static_cast<double>(as_far) / all;
}

TEST(Trend, agrees_with_all_orders_of_eight_values) {
    for (const Sample& sample : {Sample{1, 2, 3, 4, 5, 6, 7, 8}, Sample{1, 2, 4, 3, 6, 5, 8, 7},
                                 Sample{3, 1, 2, 6, 5, 8, 4, 7}, Sample{5, 1, 8, 2, 7, 3, 6, 4}})
        EXPECT_NEAR(*trend_p(sample), trend_p_by_enumeration(sample), 0.02);
}

TEST(Trend, is_seen_in_drift_and_not_in_equal_or_few_values) {
    Sample falling(20);
    std::iota(falling.rbegin(), falling.rend(), 100.0);
    EXPECT_LT(*trend_p(falling), 1e-6);
    EXPECT_NEAR(*drift_percent(falling), 100 * (104.5 - 114.5) / 114.5, 1e-9);
    EXPECT_DOUBLE_EQ(*trend_p(Sample(20, 3.0)), 1);
    EXPECT_FALSE(trend_p(Sample{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_FALSE(drift_percent(Sample{1}));
    EXPECT_FALSE(drift_percent(Sample{0, 0, 1, 1}));
}

TEST(Trend, is_seen_by_chance_as_often_as_its_level_says) {
    std::mt19937_64 random(11);
    std::lognormal_distribution<double> skewed(0, 1);
    constexpr int rounds = 2000;
    int seen = 0;
    for (int round = 0; round < rounds; ++round) {
        Sample sample(10);
        for (double& value : sample)
            value = skewed(random);
        seen += *trend_p(sample) <= 0.05 ? 1 : 0;
    }
    EXPECT_LE(seen, rounds * 0.06);
}

// A worked example of Welch's test in the literature: t = -2.46 with 25.0 degrees of freedom, P = 0.021.
TEST(Welch, gives_the_published_value_of_a_worked_example) {
    const Sample a{27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
    const Sample b{27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4};
    const auto moments = [](const Sample& sample) {
        return SampleMoments{*arithmetic_mean(sample), *standard_deviation(sample), static_cast<int>(sample.size())};
    };
    EXPECT_NEAR(*welch_p(moments(a), moments(b)), 0.021, 0.0005);
    EXPECT_DOUBLE_EQ(*welch_p(moments(a), moments(b)), *welch_p(moments(b), moments(a)));
    EXPECT_FALSE(welch_p({1, 0, 5}, {1, 0, 5}));
    EXPECT_FALSE(welch_p({1, 1, 1}, {1, 1, 5}));
}

}  // namespace
}  // namespace pinwise
