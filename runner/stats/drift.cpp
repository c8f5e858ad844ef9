#include "runner/stats/drift.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <boost/math/distributions/normal.hpp>

#include "runner/stats/summary.hpp"

namespace pinwise {
namespace {

/// Pairs in which the earlier value is the larger one; sorts the values (merge sort).
double falling_pairs(std::span<double> values, std::span<double> spare) {
    if (values.size() < 2) return 0;
    const std::size_t half = values.size() / 2;
    double falling =
        falling_pairs(values.first(half), spare.first(half)) + falling_pairs(values.subspan(half), spare.subspan(half));
    std::size_t left = 0;
    std::size_t right = half;
    for (double& next : spare.first(values.size())) {
        const bool take_right = right < values.size() && (left == half || values[right] < values[left]);
        if (take_right) falling += static_cast<double>(half - left);
        next = take_right ? values[right++] : values[left++];
    }
    std::ranges::copy(spare.first(values.size()), values.begin());
    return falling;
}

}  // namespace

std::optional<double> trend_p(std::span<const double> in_order) {
    if (in_order.size() < fewest_for_trend) return std::nullopt;
    std::vector<double> sorted(in_order.begin(), in_order.end());
    std::vector<double> spare(sorted.size());
    const double falling = falling_pairs(sorted, spare);
    const auto n = static_cast<double>(in_order.size());
    double tied_pairs = 0;
    double variance = n * (n - 1) * (2 * n + 5);
    for (auto first = sorted.begin(); first != sorted.end();) {
        const auto last = std::upper_bound(first, sorted.end(), *first);
        const auto t = static_cast<double>(last - first);
        tied_pairs += t * (t - 1) / 2;
        variance -= t * (t - 1) * (2 * t + 5);
        first = last;
    }
    variance /= 18;
    if (!(variance > 0)) return 1;
    const double s = n * (n - 1) / 2 - tied_pairs - 2 * falling;  // pairs that rise minus pairs that fall
    const double z = std::max(0.0, std::fabs(s) - 1) / std::sqrt(variance);
    return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z)));
}

std::optional<double> drift_percent(std::span<const double> in_order) {
    if (in_order.size() < 2) return std::nullopt;
    const std::size_t half = in_order.size() / 2;
    const double before = *median(in_order.first(half));
    const double after = *median(in_order.subspan(in_order.size() - half));
    if (before == 0) return std::nullopt;
    const double percent = 100 * ((after - before) / std::fabs(before));
    return std::isfinite(percent) ? std::optional(percent) : std::nullopt;
}

}  // namespace pinwise
