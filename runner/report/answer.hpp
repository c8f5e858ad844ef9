#pragma once
/// The question of a comparison and its answer in words: only what its trials support. Pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/compare/comparison.hpp"
#include "runner/report/placement.hpp"

namespace pinwise::report {

struct Answer {
    std::string question;
    std::string headline;                ///< one sentence
    std::vector<std::string> sentences;  ///< one for each strategy's rate or time, then where the threads started
};

/// The metric that answers: Triad, else the workload's first, else the wall time; nullptr when there is none.
const MetricRow* principal_metric(const Comparison& comparison);

/// One entry of `placements` a column. `machine_kind` "emulated": times and rates answer nothing.
Answer answer_of(const Comparison& comparison, std::span<const StrategyPlacement> placements,
                 std::string_view machine_kind);

}  // namespace pinwise::report
