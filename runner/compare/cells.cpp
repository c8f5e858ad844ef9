#include "runner/compare/cells.hpp"

#include <algorithm>
#include <cmath>

namespace pinwise {
namespace {

double rounded(double value, int digits) {
    const double scale = std::pow(10.0, digits);
    return std::round(value * scale) == 0 ? 0.0 : value;
}

std::string mark(Verdict verdict) {
    return verdict == Verdict::noise ? "~" : verdict == Verdict::too_few ? "?" : " ";
}

}  // namespace

int decimals(const MetricRow& row) {
    return row.unit == "s" ? 3 : 2;
}

std::string number(double value, int digits) {
    return fmt::format("{:.{}f}", rounded(value, digits), digits);
}

std::string mean_cell(const Cell& cell, const MetricRow& row, bool is_baseline) {
    if (!cell.mean) return fmt::format("{:>10} {:11}", "-", fmt::format("({})", cell.why_no_mean));
    const std::string value = number(*cell.mean, decimals(row));
    if (is_baseline) return fmt::format("{:>10} {:11}", value, "");
    if (!cell.change_percent) return fmt::format("{:>10} {:11}", value, fmt::format("({})", cell.why_no_change));
    return fmt::format("{:>10} ({:>7}%){}", value, number(*cell.change_percent, 2), mark(cell.verdict));
}

std::array<std::string, 3> header_of(const StrategyColumn& column) {
    std::string held = column.policy == "os" ? "" : fmt::format("bind {}", column.bind);
    const auto add = [&held](std::string_view axis, const std::string& value, std::string_view neutral) {
        if (value != neutral) held += fmt::format("{}{} {}", held.empty() ? "" : ", ", axis, value);
    };
    add("memory", column.memory, "first-touch");
    add("migration", column.migration, "none");
    add("balance", column.balance, "none");
    const bool control = column.policy == "os" && column.cpus == "all" && held.empty();
    return {control ? "OS default" : column.policy, fmt::format("cpus {}", column.cpus), std::move(held)};
}

std::size_t column_width(const StrategyColumn& column) {
    std::size_t width = 23;
    for (const std::string& line : header_of(column))
        width = std::max(width, line.size());
    return width;
}

}  // namespace pinwise
