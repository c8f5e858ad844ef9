#pragma once
/// The metrics that the runner itself measures of every trial, beside those of the workload.

#include <algorithm>
#include <array>
#include <string_view>

namespace pinwise {

/// In the order of their rows in trials.csv; in seconds, less is better.
inline constexpr std::array<std::string_view, 3> runner_metric_names{"wall", "user", "sys"};

inline bool is_runner_metric(std::string_view metric) {
    return std::ranges::find(runner_metric_names, metric) != runner_metric_names.end();
}

}  // namespace pinwise
