#pragma once
/// What all tables have in common: how a number, a cell, a column's header and a line are written.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/compare/comparison.hpp"

namespace pinwise {

inline constexpr std::string_view emulated_label =
    "EMULATED MACHINE: times and rates are no measurement; placement and migrations are\n";

/// What becomes of the digits of a percentage behind the second: mmtests rounds to the nearest, others cut them off.
enum class Rounding : std::uint8_t { nearest, truncate };

/// How a table is written, whatever its kind.
struct TableOptions {
    std::string_view machine_kind = {};  ///< of machine.json: "emulated" labels every table
    bool colour = false;                 ///< escape sequences of a terminal
    Rounding rounding = Rounding::nearest;

    [[nodiscard]] bool emulated() const { return machine_kind == "emulated"; }
};

/// Seconds need more digits than MB/s.
int decimals(const MetricRow& row);

/// Without "-0.00".
std::string number(double value, int digits);

/// With two digits behind the point, without the sign of percent.
std::string percent(double value, Rounding rounding);

/// A cell as text, and what it says at a glance.
struct CellText {
    enum class Paint : std::uint8_t { none, better, worse, faint };
    std::string text;
    Paint paint = Paint::none;
};

/// Mean and, but for the baseline, "( change%)" with the mark of its verdict; "-" and the reason where there is none.
/// The baseline has what it changes by itself instead, "(A/A change%)", where it was run twice.
CellText mean_cell(const MetricRow& row, std::size_t column, const TableOptions& options);

/// " ", "~", "^" or "?": the legend of the table says what they mean.
std::string_view mark(Verdict verdict);

/// "~ cannot be told from noise ..." of each mark that occurs, a line each.
std::string legend_of_marks(std::span<const Comparison> comparisons);

/// The control: the OS's own placement on all CPUs, in its own memory policy.
bool is_control(const StrategyColumn& column);

/// Three lines: who places (or the file), on which CPUs, bound how. "OS default" is the control.
std::array<std::string, 3> header_of(const StrategyColumn& column);

/// The same on one line: "idlest, cpus one-per-thread, bind cpu".
std::string name_of(const StrategyColumn& column);

/// "stream, 8 threads, size=auto ntimes=10".
std::string title_of(const Comparison& comparison);

/// Characters of a column.
std::size_t column_width(const StrategyColumn& column, bool has_noise_floor);

/// Whether some row knows what the baseline changes by itself.
bool has_noise_floor(const Comparison& comparison);

/// Padded to the width, then painted.
std::string painted(const CellText& cell, std::size_t width, bool colour);

inline constexpr std::size_t least_label_width = 22;

/// A label and one cell a column, `cell_of(i)`, without blanks at the end.
template <class CellOf>
std::string table_line(const std::string& label, std::span<const std::size_t> widths, CellOf cell_of,
                       bool colour = false, std::size_t label_width = least_label_width) {
    std::string row = fmt::format("{:{}}", label, label_width);
    for (std::size_t i = 0; i < widths.size(); ++i)
        row += fmt::format("  {}", painted(CellText{cell_of(i)}, widths[i], colour));
    row.erase(row.find_last_not_of(' ') + 1);
    return row + '\n';
}

}  // namespace pinwise
