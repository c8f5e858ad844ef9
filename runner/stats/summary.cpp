#include "runner/stats/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace pinwise {
namespace {

/// Power of two that brings the largest magnitude of the sample near 1, so that squares and sums stay in range.
int exponent_of(std::span<const double> sample) {
    double largest = 0;
    for (const double value : sample)
        largest = std::max(largest, std::fabs(value));
    return largest > 0 ? std::ilogb(largest) : 0;
}

std::optional<double> finite(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<double> arithmetic_mean(std::span<const double> sample) {
    if (sample.empty()) return std::nullopt;
    const int exponent = exponent_of(sample);
    double sum = 0;
    for (const double value : sample)
        sum += std::ldexp(value, -exponent);
    return finite(std::ldexp(sum / static_cast<double>(sample.size()), exponent));
}

std::optional<double> harmonic_mean(std::span<const double> sample) {
    if (sample.empty() || std::ranges::any_of(sample, [](double value) { return !(value > 0); })) return std::nullopt;
    const double least = *std::ranges::min_element(sample);
    double sum = 0;
    for (const double value : sample)
        sum += least / value;  // each term is at most 1
    return finite(least * (static_cast<double>(sample.size()) / sum));
}

std::optional<double> geometric_mean(std::span<const double> sample) {
    if (sample.empty() || std::ranges::any_of(sample, [](double value) { return !(value > 0); })) return std::nullopt;
    double sum = 0;
    for (const double value : sample)
        sum += std::log(value);
    return finite(std::exp(sum / static_cast<double>(sample.size())));
}

std::optional<double> standard_deviation(std::span<const double> sample) {
    const auto mean = arithmetic_mean(sample);
    if (sample.size() < 2 || !mean) return std::nullopt;
    const int exponent = exponent_of(sample);
    double sum = 0;
    for (const double value : sample) {
        const double difference = std::ldexp(value, -exponent) - std::ldexp(*mean, -exponent);
        sum += difference * difference;
    }
    return finite(std::ldexp(std::sqrt(sum / static_cast<double>(sample.size() - 1)), exponent));
}

std::optional<double> coefficient_of_variation(std::span<const double> sample) {
    const auto deviation = standard_deviation(sample);
    const auto mean = arithmetic_mean(sample);
    if (!deviation || !mean || *mean == 0) return std::nullopt;
    return finite(100 * (*deviation / std::fabs(*mean)));
}

std::optional<double> median(std::span<const double> sample) {
    if (sample.empty()) return std::nullopt;
    std::vector<double> values(sample.begin(), sample.end());
    const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, upper);
    if (values.size() % 2 == 1) return *upper;
    return *std::max_element(values.begin(), upper) / 2 + *upper / 2;
}

std::optional<double> minimum(std::span<const double> sample) {
    return sample.empty() ? std::nullopt : std::optional(*std::ranges::min_element(sample));
}

std::optional<double> maximum(std::span<const double> sample) {
    return sample.empty() ? std::nullopt : std::optional(*std::ranges::max_element(sample));
}

}  // namespace pinwise
