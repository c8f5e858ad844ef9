#include "runner/stats/outliers.hpp"

#include <cmath>
#include <cstddef>

#include <boost/math/statistics/univariate_statistics.hpp>

#include "runner/stats/summary.hpp"

namespace pinwise {

std::optional<double> median_absolute_deviation(std::span<const double> sample) {
    if (sample.empty()) return std::nullopt;
    std::vector<double> values(sample.begin(), sample.end());  // reordered in place
    const double center = *median(sample);
    const double deviation = boost::math::statistics::median_absolute_deviation(values.begin(), values.end(), center);
    return std::isfinite(deviation) ? std::optional(deviation) : std::nullopt;
}

std::vector<double> modified_z_scores(std::span<const double> sample) {
    constexpr double normal_quartile = 0.6745;
    constexpr double normal_mean_deviation = 1.253314;
    std::vector<double> scores(sample.size(), 0.0);
    const auto center = median(sample);
    if (!center) return scores;
    std::vector<double> distances;
    distances.reserve(sample.size());
    for (const double value : sample)
        distances.push_back(std::fabs(value - *center));
    const double deviation = median_absolute_deviation(sample).value_or(0);
    const double scale =
        deviation > 0 ? deviation / normal_quartile : normal_mean_deviation * arithmetic_mean(distances).value_or(0);
    if (!(scale > 0)) return scores;
    for (std::size_t i = 0; i < sample.size(); ++i)
        scores[i] = (sample[i] - *center) / scale;
    return scores;
}

std::vector<std::size_t> outliers(std::span<const double> sample) {
    constexpr std::size_t fewest = 4;
    std::vector<std::size_t> found;
    if (sample.size() < fewest) return found;
    const std::vector<double> scores = modified_z_scores(sample);
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (std::fabs(scores[i]) > outlier_score) found.push_back(i);
    return found;
}

}  // namespace pinwise
