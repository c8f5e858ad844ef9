#include "runner/stats/two_valued.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "runner/stats/summary.hpp"

namespace pinwise {
namespace {

constexpr std::size_t fewest_values = 6;
constexpr std::size_t fewest_in_group = 2;
constexpr double least_explained = 0.9;

struct Split {
    std::size_t at = 0;   ///< values before it are the lower group
    double between = -1;  ///< squared distance between the groups' means, weighted: what the division explains
};

Split best_split(std::span<const double> sorted, std::span<const double> sums_before) {
    const std::size_t n = sorted.size();
    const std::size_t least = std::max(fewest_in_group, (n + 9) / 10);
    Split best;
    for (std::size_t at = least; at + least <= n; ++at) {
        const auto low_count = static_cast<double>(at);
        const auto high_count = static_cast<double>(n - at);
        const double distance = (sums_before[n] - sums_before[at]) / high_count - sums_before[at] / low_count;
        const double between = low_count * high_count / static_cast<double>(n) * distance * distance;
        if (between > best.between) best = {at, between};
    }
    return best;
}

}  // namespace

std::optional<TwoValues> two_values(std::span<const double> sample) {
    if (sample.size() < fewest_values) return std::nullopt;
    std::vector<double> sorted(sample.begin(), sample.end());
    std::ranges::sort(sorted);
    const double center = *arithmetic_mean(sorted);
    std::vector<double> centered;
    std::vector<double> sums_before{0};
    double total = 0;
    for (const double value : sorted) {
        centered.push_back(value - center);
        sums_before.push_back(sums_before.back() + centered.back());
        total += centered.back() * centered.back();
    }
    const auto [at, between] = best_split(centered, sums_before);
    if (!(total > 0) || between < least_explained * total) return std::nullopt;
    const std::span<const double> low = std::span(sorted).first(at);
    const std::span<const double> high = std::span(sorted).subspan(at);
    const double gap = high.front() - low.back();
    if (gap < low.back() - low.front() || gap < high.back() - high.front()) return std::nullopt;
    return TwoValues{*median(low), *median(high), low.back() + gap / 2, static_cast<int>(low.size()),
                     static_cast<int>(high.size())};
}

}  // namespace pinwise
