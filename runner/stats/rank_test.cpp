#include "runner/stats/rank_test.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

#include <boost/math/distributions/normal.hpp>

namespace pinwise {
namespace {

/// The pooled values as ranks.
struct Ranks {
    std::vector<int>
        doubled;      ///< twice the midrank of every value, so that tied ranks stay whole; the first sample first
    double ties = 0;  ///< sum of t^3 - t over groups of t equal values
};

Ranks ranks_of(std::span<const double> a, std::span<const double> b) {
    std::vector<std::pair<double, std::size_t>> sorted;
    sorted.reserve(a.size() + b.size());
    for (const std::span<const double> sample : {a, b})
        for (const double value : sample)
            sorted.emplace_back(value, sorted.size());
    std::ranges::sort(sorted);
    Ranks ranks{std::vector<int>(sorted.size()), 0};
    for (std::size_t first = 0; first < sorted.size();) {
        std::size_t last = first + 1;
        while (last < sorted.size() && sorted[last].first == sorted[first].first)
            ++last;
        for (std::size_t i = first; i < last; ++i)
            ranks.doubled[sorted[i].second] = static_cast<int>(first + 1 + last);  // 2 * ((first + 1) + last) / 2
        const auto t = static_cast<double>(last - first);
        ranks.ties += t * t * t - t;
        first = last;
    }
    return ranks;
}

/// p by counting: ways[k][s] subsets of k ranks have the doubled sum s.
double exact_p(const std::vector<int>& ranks, std::size_t size_a) {
    int total = 0;
    int observed = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        total += ranks[i];
        if (i < size_a) observed += ranks[i];
    }
    std::vector<std::vector<double>> ways(size_a + 1, std::vector<double>(static_cast<std::size_t>(total) + 1));
    ways[0][0] = 1;
    std::size_t taken = 0;
    std::size_t reached = 0;  // the largest sum of the ranks looked at
    for (const int each : ranks) {
        const auto rank = static_cast<std::size_t>(each);
        reached += rank;
        taken = std::min(taken + 1, size_a);
        for (std::size_t k = taken; k >= 1; --k) {
            for (std::size_t sum = reached; sum >= rank; --sum)
                ways[k][sum] += ways[k - 1][sum - rank];
        }
    }
    // Under the hypothesis the expected sum is size_a / n of the total; compare distances times n, in whole numbers.
    const auto n = static_cast<long>(ranks.size());
    const auto distance = [&](long sum) {
        return std::labs(sum * n - static_cast<long>(total) * static_cast<long>(size_a));
    };
    double all = 0;
    double as_far = 0;
    for (int sum = 0; sum <= total; ++sum) {
        const double count = ways[size_a][static_cast<std::size_t>(sum)];
        all += count;
        if (distance(sum) >= distance(observed)) as_far += count;
    }
    return as_far / all;
}

/// Rank sum of the first sample less its expectation, and its variance, ties corrected.
struct RankSum {
    double distance = 0;
    double variance = 0;
};

RankSum rank_sum(const Ranks& ranks, std::size_t size_a) {
    const auto n = static_cast<double>(ranks.doubled.size());
    const auto n_a = static_cast<double>(size_a);
    double sum_a = 0;
    for (std::size_t i = 0; i < size_a; ++i)
        sum_a += ranks.doubled[i] / 2.0;
    const double variance = n_a * (n - n_a) / 12 * (n + 1 - ranks.ties / (n * (n - 1)));
    return {sum_a - n_a * (n + 1) / 2, variance};
}

double two_sided_p(double distance, double variance) {
    const double z = distance / std::sqrt(variance);
    return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z)));
}

double approximate_p(const Ranks& ranks, std::size_t size_a) {
    const auto [distance, variance] = rank_sum(ranks, size_a);
    if (!(variance > 0)) return 1;
    return two_sided_p(std::max(0.0, std::fabs(distance) - 0.5), variance);
}

}  // namespace

std::optional<double> mann_whitney_p(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty()) return std::nullopt;
    const Ranks ranks = ranks_of(a, b);
    const bool few = ranks.doubled.size() <= largest_exact;
    return few ? exact_p(ranks.doubled, a.size()) : approximate_p(ranks, a.size());
}

std::optional<double> stratified_p(std::span<const Stratum> strata) {
    double distance = 0;
    double variance = 0;
    for (const auto& [a, b] : strata) {
        if (a.empty() || b.empty()) continue;
        const RankSum sum = rank_sum(ranks_of(a, b), a.size());
        const double weight = 1 / static_cast<double>(a.size() + b.size() + 1);
        distance += weight * sum.distance;
        variance += weight * weight * sum.variance;
    }
    if (!(variance > 0)) return std::nullopt;
    return two_sided_p(std::fabs(distance), variance);
}

}  // namespace pinwise
