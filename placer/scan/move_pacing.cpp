#include "placer/scan/move_pacing.hpp"

#include <algorithm>
#include <charconv>

namespace pinwise {

namespace {

/// So few page faults are no sign of anything.
constexpr double negligible_faults_per_s = 1000;
constexpr double regained_at_a_time = 0.125;

}  // namespace

std::optional<double> some_avg10(std::string_view pressure) {
    constexpr std::string_view key = "some avg10=";
    const std::size_t at = pressure.find(key);
    if (at == std::string_view::npos || (at != 0 && pressure[at - 1] != '\n')) return std::nullopt;
    const std::string_view rest = pressure.substr(at + key.size());
    double percent = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), percent);
    if (error != std::errc{} || !(percent >= 0 && percent <= 100)) return std::nullopt;
    return percent;
}

std::uint64_t MovePacer::budget(std::uint64_t now_ns) noexcept {
    const auto of_period = static_cast<double>(limits_.bytes_per_period) * pace_;
    const auto elapsed =
        started_ ? static_cast<double>(now_ns - last_budget_ns_) : static_cast<double>(limits_.period_ns);
    started_ = true;
    last_budget_ns_ = now_ns;
    saved_bytes_ = std::min(saved_bytes_ + of_period * elapsed / static_cast<double>(limits_.period_ns), 2 * of_period);
    return saved_bytes_ > 0 ? static_cast<std::uint64_t>(saved_bytes_) : 0;
}

void MovePacer::take(std::uint64_t bytes) noexcept {
    saved_bytes_ -= static_cast<double>(bytes);
}

void MovePacer::observe(const MovePressure& pressure, std::uint64_t now_ns) noexcept {
    const bool stalled = pressure.stalled_percent.value_or(0) > limits_.most_pressure_percent;
    const bool rising = fault_rate_rises(pressure.page_faults, now_ns);
    pace_ =
        stalled || rising ? std::max(pace_ / 2, 1.0 / limits_.least_share) : std::min(pace_ + regained_at_a_time, 1.0);
}

bool MovePacer::fault_rate_rises(std::uint64_t page_faults, std::uint64_t now_ns) noexcept {
    const std::uint64_t since = last_observed_ns_ == 0 ? 0 : now_ns - last_observed_ns_;
    const std::uint64_t new_faults = page_faults > last_faults_ ? page_faults - last_faults_ : 0;
    last_observed_ns_ = now_ns;
    last_faults_ = page_faults;
    if (since == 0) return false;
    const double per_s = static_cast<double>(new_faults) * 1e9 / static_cast<double>(since);
    const bool rises =
        mean_faults_per_s_ && per_s > negligible_faults_per_s && per_s > limits_.most_fault_rise * *mean_faults_per_s_;
    mean_faults_per_s_ = mean_faults_per_s_ ? (7 * *mean_faults_per_s_ + per_s) / 8 : per_s;
    return rises;
}

}  // namespace pinwise
