#include "runner/compare/schedbench_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runner/compare/cells.hpp"

namespace pinwise {
namespace {

/// Metric and its heading in the tables of 2003.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> times{{{"AverageUserTime", "AvgUser"},
                                                                              {"ElapsedTime", "Elapsed"},
                                                                              {"TotalUserTime", "TotalUser"},
                                                                              {"TotalSysTime", "TotalSys"}}};

std::string strategy_name(const StrategyColumn& column) {
    const auto [policy, cpus, held] = header_of(column);
    return fmt::format("{}, {}{}{}", policy, cpus, held.empty() ? "" : ", ", held);
}

std::string time_cell(const Comparison& comparison, std::string_view metric, std::size_t column) {
    const auto row = std::ranges::find(comparison.rows, metric, &MetricRow::metric);
    const bool known = row != comparison.rows.end() && row->cells[column].mean.has_value();
    return known ? number(*row->cells[column].mean, 2) : "-";
}

std::string block(const Comparison& comparison) {
    std::size_t name_width = 0;
    for (const StrategyColumn& column : comparison.columns)
        name_width = std::max(name_width, strategy_name(column).size());
    std::string text = fmt::format("\n{:{}}", fmt::format("Schedbench {}:", comparison.threads), name_width);
    for (const auto& [metric, heading] : times)
        text += fmt::format(" {:>10}", heading);
    text += '\n';
    for (std::size_t column = 0; column < comparison.columns.size(); ++column) {
        text += fmt::format("{:{}}", strategy_name(comparison.columns[column]), name_width);
        for (const auto& [metric, heading] : times)
            text += fmt::format(" {:>10}", time_cell(comparison, metric, column));
        text += '\n';
    }
    return text;
}

}  // namespace

std::string schedbench_tables(std::span<const Comparison> comparisons, std::string_view machine_kind) {
    std::string text;
    std::string_view parameters;
    for (const Comparison& each : comparisons) {
        if (each.workload != "numa_test") continue;
        if (text.empty() || each.parameters != parameters)
            text += fmt::format("\nnuma_test, means in seconds, {}\n{}", each.parameters,
                                machine_kind == "emulated" ? emulated_label : "");
        parameters = each.parameters;
        text += block(each);
    }
    return text;
}

}  // namespace pinwise
