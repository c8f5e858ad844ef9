#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "runner/stats/rank_test.hpp"
#include "runner/stats/summary.hpp"

namespace pinwise {
namespace {

using Sample = std::vector<double>;

// Worked by hand.
TEST(Summary, KnownValues) {
    const Sample sample{2, 4, 4, 4, 5, 5, 7, 9};
    EXPECT_DOUBLE_EQ(*arithmetic_mean(sample), 5);
    EXPECT_DOUBLE_EQ(*standard_deviation(sample), std::sqrt(32.0 / 7));
    EXPECT_DOUBLE_EQ(*coefficient_of_variation(sample), 100 * std::sqrt(32.0 / 7) / 5);
    EXPECT_DOUBLE_EQ(*median(sample), 4.5);
    EXPECT_DOUBLE_EQ(*minimum(sample), 2);
    EXPECT_DOUBLE_EQ(*maximum(sample), 9);
    EXPECT_DOUBLE_EQ(*median(Sample{3, 1, 2}), 2);
}

TEST(Summary, TheHarmonicMeanIsTheSpeedOfARoundTrip) {
    EXPECT_DOUBLE_EQ(*harmonic_mean(Sample{60, 20}), 30);
    EXPECT_DOUBLE_EQ(*harmonic_mean(Sample{1, 4, 4}), 2);
    EXPECT_DOUBLE_EQ(*harmonic_mean(Sample{97699.28}), 97699.28);
}

// NIST StRD "NumAcc3": mean 1000000.2, standard deviation 0.1 exactly; 1001 values around one million.
TEST(Summary, KeepsTheDigitsOfNistNumAcc3) {
    Sample sample{1000000.2};
    for (int i = 0; i < 500; ++i) {
        sample.push_back(1000000.1);
        sample.push_back(1000000.3);
    }
    EXPECT_NEAR(*arithmetic_mean(sample), 1000000.2, 1e-8);
    EXPECT_NEAR(*standard_deviation(sample), 0.1, 1e-9);
}

TEST(Summary, WhatIsNotDefinedIsAbsent) {
    EXPECT_FALSE(arithmetic_mean({}));
    EXPECT_FALSE(harmonic_mean({}));
    EXPECT_FALSE(harmonic_mean(Sample{1, 0}));
    EXPECT_FALSE(harmonic_mean(Sample{1, -1}));
    EXPECT_FALSE(harmonic_mean(Sample{1, std::nan("")}));
    EXPECT_FALSE(standard_deviation(Sample{1}));
    EXPECT_FALSE(coefficient_of_variation(Sample{1}));
    EXPECT_FALSE(coefficient_of_variation(Sample{-1, 1}));
    EXPECT_FALSE(median({}));
    EXPECT_FALSE(minimum({}));
    EXPECT_FALSE(maximum({}));
}

TEST(Summary, DoesNotOverflowOrUnderflow) {
    constexpr double huge = std::numeric_limits<double>::max();
    const Sample sample{huge, huge, huge};
    EXPECT_DOUBLE_EQ(*arithmetic_mean(sample), huge);
    EXPECT_DOUBLE_EQ(*harmonic_mean(sample), huge);
    EXPECT_DOUBLE_EQ(*standard_deviation(sample), 0);
    EXPECT_DOUBLE_EQ(*median(Sample{huge, huge}), huge);
    const Sample tiny{1e-300, 3e-300};
    EXPECT_DOUBLE_EQ(*arithmetic_mean(tiny), 2e-300);
    EXPECT_DOUBLE_EQ(*harmonic_mean(tiny), 1.5e-300);
    EXPECT_NEAR(*standard_deviation(tiny) / 1e-300, std::sqrt(2.0), 1e-12);
}

TEST(RankTest, FourAgainstFourWithoutOverlapIsTwoInSeventy) {
    EXPECT_NEAR(*mann_whitney_p(Sample{1, 2, 3, 4}, Sample{5, 6, 7, 8}), 2.0 / 70, 1e-12);
    EXPECT_NEAR(*mann_whitney_p(Sample{1, 2, 3}, Sample{5, 6, 7}), 2.0 / 20, 1e-12);
    EXPECT_NEAR(*mann_whitney_p(Sample{5, 6, 7, 8, 9}, Sample{0, 1, 2, 3, 4}), 2.0 / 252, 1e-12);
}

// Hollander and Wolfe's permeability of human chorioamnion, n = 10 and 5: R's wilcox.test gives W = 35, p = 0.2544.
TEST(RankTest, GivesThePublishedValueOfHollanderAndWolfe) {
    const Sample at_term{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const Sample earlier{1.15, 0.88, 0.90, 0.74, 1.21};
    EXPECT_NEAR(*mann_whitney_p(at_term, earlier), 0.2544, 0.00005);
}

/// By looking at every division of the pooled values into two groups.
double p_by_enumeration(const Sample& a, const Sample& b) {
    Sample all = a;
    all.insert(all.end(), b.begin(), b.end());
    const auto u_of = [&](unsigned members) {
        double u = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t j = 0; j < all.size(); ++j)
                if (((members >> i) & 1U) != 0 && ((members >> j) & 1U) == 0)
                    u += all[i] > all[j] ? 1 : all[i] == all[j] ? 0.5 : 0;
        return std::fabs(u - static_cast<double>(a.size() * b.size()) / 2);
    };
    const double observed = u_of((1U << a.size()) - 1);
    int total = 0;
    int as_far = 0;
    for (unsigned members = 0; members < (1U << all.size()); ++members) {
        if (std::popcount(members) != static_cast<int>(a.size())) continue;
        ++total;
        if (u_of(members) >= observed - 1e-9) ++as_far;
    }
    return static_cast<double>(as_far) / total;
}

TEST(RankTest, AgreesWithFullEnumerationWithAndWithoutTies) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 60; ++round) {
        const auto draw = [&](std::size_t size) {
            Sample sample(size);
            for (double& value : sample)
                value = static_cast<double>(random() % (round % 2 == 0 ? 4 : 1000));
            return sample;
        };
        const Sample a = draw(1 + random() % 5);
        const Sample b = draw(1 + random() % 5);
        EXPECT_NEAR(*mann_whitney_p(a, b), p_by_enumeration(a, b), 1e-12);
        EXPECT_NEAR(*mann_whitney_p(a, b), *mann_whitney_p(b, a), 1e-12);
    }
}

TEST(RankTest, EqualValuesAreNeverTold) {
    EXPECT_DOUBLE_EQ(*mann_whitney_p(Sample(10, 5.0), Sample(10, 5.0)), 1);
    EXPECT_DOUBLE_EQ(*mann_whitney_p(Sample(100, 5.0), Sample(100, 5.0)), 1);
}

TEST(RankTest, TheApproximationContinuesTheExactTest) {
    const auto shifted = [](std::size_t size, double shift) {
        Sample sample;
        for (std::size_t i = 0; i < size; ++i)
            sample.push_back(static_cast<double>(i) + shift);
        return sample;
    };
    const double exact = *mann_whitney_p(shifted(25, 0), shifted(25, 7.5));
    const double approximate = *mann_whitney_p(shifted(26, 0), shifted(25, 7.5));
    EXPECT_NEAR(exact, approximate, 0.02);
    EXPECT_LT(*mann_whitney_p(shifted(100, 0), shifted(100, 50.5)), 1e-6);
}

TEST(RankTest, FalsePositivesStayAtTheLevel) {
    std::mt19937_64 random(2);
    std::lognormal_distribution<double> skewed(0, 1);
    int told = 0;
    constexpr int rounds = 2000;
    for (int round = 0; round < rounds; ++round) {
        Sample a(8);
        Sample b(8);
        for (double& value : a)
            value = skewed(random);
        for (double& value : b)
            value = skewed(random);
        if (*mann_whitney_p(a, b) <= 0.05) ++told;
    }
    EXPECT_LE(told, rounds * 0.065);
}

TEST(RankTest, NeedsBothSamples) {
    EXPECT_FALSE(mann_whitney_p({}, Sample{1}));
    EXPECT_FALSE(mann_whitney_p(Sample{1}, {}));
}

}  // namespace
}  // namespace pinwise
