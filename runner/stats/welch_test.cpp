#include "runner/stats/welch_test.hpp"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace pinwise {

std::optional<double> welch_p(const SampleMoments& a, const SampleMoments& b) {
    if (a.count < 2 || b.count < 2) return std::nullopt;
    const double of_a = a.standard_deviation * a.standard_deviation / a.count;
    const double of_b = b.standard_deviation * b.standard_deviation / b.count;
    const double variance = of_a + of_b;
    if (!(variance > 0) || !std::isfinite(variance)) return std::nullopt;
    const double freedom = variance * variance / (of_a * of_a / (a.count - 1) + of_b * of_b / (b.count - 1));
    const double t = std::fabs(a.mean - b.mean) / std::sqrt(variance);
    return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

}  // namespace pinwise
