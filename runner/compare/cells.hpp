#pragma once
/// What all tables have in common: how a cell, a column's header and a line are written.

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "runner/compare/comparison.hpp"

namespace pinwise {

inline constexpr std::string_view emulated_label =
    "EMULATED MACHINE: times and rates are no measurement; placement and migrations are\n";

/// Seconds need more digits than MB/s.
int decimals(const MetricRow& row);

/// Without "-0.00".
std::string number(double value, int digits);

/// Mean and, but for the baseline, "( change%)" with the mark of its verdict; "-" and the reason where there is none.
std::string mean_cell(const Cell& cell, const MetricRow& row, bool is_baseline);

/// Three lines: who places, on which CPUs, bound how. "OS default" is the control on all CPUs.
std::array<std::string, 3> header_of(const StrategyColumn& column);

/// Characters of a strategy's column.
std::size_t column_width(const StrategyColumn& column);

/// A label and one cell a column, `cell_text(i)`, without blanks at the end.
template <class CellText>
std::string table_line(const std::string& label, std::span<const std::size_t> widths, CellText cell_text) {
    constexpr std::size_t label_width = 22;
    std::string row = fmt::format("{:{}}", label, label_width);
    for (std::size_t i = 0; i < widths.size(); ++i)
        row += fmt::format("  {:{}}", cell_text(i), widths[i]);
    row.erase(row.find_last_not_of(' ') + 1);
    return row + '\n';
}

}  // namespace pinwise
