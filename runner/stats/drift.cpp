#include "runner/stats/drift.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <boost/math/distributions/normal.hpp>

#include "runner/stats/summary.hpp"

namespace pinwise {

std::optional<double> trend_p(std::span<const double> in_order) {
    if (in_order.size() < fewest_for_trend) return std::nullopt;
    double s = 0;  // pairs that rise minus pairs that fall
    for (std::size_t i = 0; i < in_order.size(); ++i) {
        for (std::size_t j = i + 1; j < in_order.size(); ++j)
            s += in_order[j] > in_order[i] ? 1 : in_order[j] < in_order[i] ? -1 : 0;
    }
    const auto n = static_cast<double>(in_order.size());
    double variance = n * (n - 1) * (2 * n + 5);
    std::vector<double> sorted(in_order.begin(), in_order.end());
    std::ranges::sort(sorted);
    for (auto first = sorted.begin(); first != sorted.end();) {
        const auto last = std::upper_bound(first, sorted.end(), *first);
        const auto t = static_cast<double>(last - first);
        variance -= t * (t - 1) * (2 * t + 5);
        first = last;
    }
    variance /= 18;
    if (!(variance > 0)) return 1;
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
