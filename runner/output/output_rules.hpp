#pragma once
/// What is read from the text that a program of the user's prints.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"
#include "runner/output/metric.hpp"

namespace pinwise {

/// Which of several matches counts. `only`: more than one is a failure, because nobody said which is meant.
enum class Take : std::uint8_t { only, first, last };

struct MetricRule {
    std::string name;
    std::string pattern;  ///< one group: the number
    std::string unit;
    Better better = Better::higher;
    Take take = Take::only;
};

struct OutputRules {
    std::vector<MetricRule> metrics;
    std::vector<std::string> success_patterns;  ///< each must match some line
};

/// Both outputs of a program that has ended well, as text.
struct ProgramOutput {
    std::string_view out;
    std::string_view err;
};

/// Every line of both outputs is searched by itself; '\n' and '\r' end lines. Errors (failures) name the rule: a
/// pattern without a match, a metric with several, or with one that is no finite number. Never a part of the metrics.
Result<std::vector<Metric>> read_metrics(const OutputRules& rules, const ProgramOutput& output);

}  // namespace pinwise
