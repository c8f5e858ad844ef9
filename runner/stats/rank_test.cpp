#include "runner/stats/rank_test.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include <boost/math/distributions/normal.hpp>

namespace pinwise {
namespace {

/// Twice the midrank of every value, so that tied ranks stay whole numbers; `a` first.
std::vector<int> doubled_midranks(std::span<const double> a, std::span<const double> b) {
    std::vector<double> all(a.begin(), a.end());
    all.insert(all.end(), b.begin(), b.end());
    std::vector<double> sorted = all;
    std::ranges::sort(sorted);
    std::vector<int> ranks;
    for (const double value : all) {
        const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
        const auto below = static_cast<int>(first - sorted.begin());
        const auto up_to = static_cast<int>(last - sorted.begin());
        ranks.push_back(below + 1 + up_to);  // 2 * ((below + 1) + up_to) / 2
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
    for (const int rank : ranks) {
        for (std::size_t k = size_a; k >= 1; --k) {
            for (auto sum = static_cast<std::size_t>(total); sum >= static_cast<std::size_t>(rank); --sum)
                ways[k][sum] += ways[k - 1][sum - static_cast<std::size_t>(rank)];
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

RankSum rank_sum(const std::vector<int>& ranks, std::size_t size_a) {
    const auto n = static_cast<double>(ranks.size());
    const auto n_a = static_cast<double>(size_a);
    const double n_b = n - n_a;
    double sum_a = 0;
    for (std::size_t i = 0; i < size_a; ++i)
        sum_a += ranks[i] / 2.0;
    std::vector<int> sorted = ranks;
    std::ranges::sort(sorted);
    double ties = 0;  // sum of t^3 - t over groups of t tied values
    for (auto first = sorted.begin(); first != sorted.end();) {
        const auto last = std::upper_bound(first, sorted.end(), *first);
        const auto t = static_cast<double>(last - first);
        ties += t * t * t - t;
        first = last;
    }
    return {sum_a - n_a * (n + 1) / 2, n_a * n_b / 12 * (n + 1 - ties / (n * (n - 1)))};
}

double two_sided_p(double distance, double variance) {
    const double z = distance / std::sqrt(variance);
    return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z)));
}

double approximate_p(const std::vector<int>& ranks, std::size_t size_a) {
    const auto [distance, variance] = rank_sum(ranks, size_a);
    if (!(variance > 0)) return 1;
    return two_sided_p(std::max(0.0, std::fabs(distance) - 0.5), variance);
}

}  // namespace

std::optional<double> mann_whitney_p(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty()) return std::nullopt;
    const std::vector<int> ranks = doubled_midranks(a, b);
    return ranks.size() <= largest_exact ? exact_p(ranks, a.size()) : approximate_p(ranks, a.size());
}

std::optional<double> stratified_p(std::span<const Stratum> strata) {
    double distance = 0;
    double variance = 0;
    for (const auto& [a, b] : strata) {
        if (a.empty() || b.empty()) continue;
        const RankSum sum = rank_sum(doubled_midranks(a, b), a.size());
        const double weight = 1 / static_cast<double>(a.size() + b.size() + 1);
        distance += weight * sum.distance;
        variance += weight * weight * sum.variance;
    }
    if (!(variance > 0)) return std::nullopt;
    return two_sided_p(std::fabs(distance), variance);
}

}  // namespace pinwise
