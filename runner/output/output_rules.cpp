#include "runner/output/output_rules.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "placer/quoted.hpp"
#include "runner/output/output_pattern.hpp"

namespace pinwise {

namespace {

std::optional<double> finite_number(std::string_view text) {
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = problem == std::errc{} && end == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Result<Metric> read_metric(const MetricRule& rule, const ProgramOutput& output) {
    const auto pattern = OutputPattern::compile(rule.pattern);
    if (!pattern) return failure(fmt::format("metric \"{}\": {}", rule.name, pattern.error().message));
    auto found = pattern->captures(output.out);
    for (std::string& text : pattern->captures(output.err))
        found.push_back(std::move(text));
    if (found.empty())
        return failure(fmt::format("metric \"{}\": no line matches {}", rule.name, in_quotes(rule.pattern)));
    if (found.size() > 1 && rule.take == Take::only) {
        return failure(
            fmt::format("metric \"{}\": {} matches of {}; say take = \"first\" or \"last\", or a pattern "
                        "that matches once",
                        rule.name, found.size(), in_quotes(rule.pattern)));
    }
    const std::string& text = rule.take == Take::last ? found.back() : found.front();
    const auto value = finite_number(text);
    if (!value) return failure(fmt::format("metric \"{}\": {} is no number", rule.name, in_quotes(text)));
    return Metric{.name = rule.name, .unit = rule.unit, .value = *value, .better = rule.better};
}

}  // namespace

Result<std::vector<Metric>> read_metrics(const OutputRules& rules, const ProgramOutput& output) {
    for (const std::string& text : rules.success_patterns) {
        const auto pattern = OutputPattern::compile(text);
        if (!pattern) return failure(fmt::format("success pattern: {}", pattern.error().message));
        if (!pattern->matches(output.out) && !pattern->matches(output.err))
            return failure(fmt::format("no success: no line matches {}", in_quotes(text)));
    }
    std::vector<Metric> metrics;
    for (const MetricRule& rule : rules.metrics) {
        auto metric = read_metric(rule, output);
        if (!metric) return tl::unexpected<Error>(metric.error());
        metrics.push_back(*std::move(metric));
    }
    return metrics;
}

}  // namespace pinwise
