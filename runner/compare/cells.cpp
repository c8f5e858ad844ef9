#include "runner/compare/cells.hpp"

#include <algorithm>
#include <cmath>

namespace pinwise {
namespace {

using Paint = CellText::Paint;

Paint paint_of(const Cell& cell) {
    if (cell.verdict == Verdict::noise) return Paint::faint;
    if (cell.verdict != Verdict::differs) return Paint::none;
    return *cell.change_percent > 0 ? Paint::better : Paint::worse;
}

bool occurs(std::span<const Comparison> comparisons, Verdict verdict) {
    return std::ranges::any_of(comparisons, [verdict](const Comparison& each) {
        return std::ranges::any_of(each.rows, [verdict](const MetricRow& row) {
            return std::ranges::any_of(row.cells, [verdict](const Cell& cell) { return cell.verdict == verdict; });
        });
    });
}

/// "bind cpu, memory interleave, migration hinted": what is not neutral.
std::string held_by(const StrategyColumn& column) {
    std::string held = column.policy == "os" || column.bind.empty() || column.bind == "none"
                           ? ""
                           : fmt::format("bind {}", column.bind);
    const auto add = [&held](std::string_view axis, const std::string& value, std::string_view neutral) {
        if (value != neutral) held += fmt::format("{}{} {}", held.empty() ? "" : ", ", axis, value);
    };
    add("memory", column.memory, "first-touch");
    add("migration", column.migration, "none");
    add("balance", column.balance, "none");
    return held;
}

/// "bind cpu, threads 8": also what tells columns of several cases apart.
std::string last_line(const StrategyColumn& column, std::string held) {
    for (const std::string& other : column.also)
        held += fmt::format("{}{}", held.empty() ? "" : ", ", other);
    return held;
}

}  // namespace

int decimals(const MetricRow& row) {
    return row.unit == "s" ? 3 : 2;
}

std::string number(double value, int digits) {
    const double scale = std::pow(10.0, digits);
    constexpr double largest_with_exact_integers = 9e15;
    if (std::fabs(value) > largest_with_exact_integers) return fmt::format("{:.6g}", value);
    const double shown = std::round(value * scale) == 0 ? 0.0 : value;
    return fmt::format("{:.{}f}", shown, digits);
}

std::string percent(double value, Rounding rounding) {
    constexpr double hundred = 100;
    constexpr double binary_error = 1e-9;  // 8.61 may be 8.6099999999999994
    if (rounding == Rounding::truncate)
        value = std::trunc(value * hundred + std::copysign(binary_error, value)) / hundred;
    return number(value, 2);
}

std::string_view mark(Verdict verdict) {
    switch (verdict) {
        case Verdict::noise:
            return "~";
        case Verdict::drift:
            return "^";
        case Verdict::too_few:
            return "?";
        default:
            return " ";
    }
}

std::string legend_of_marks(std::span<const Comparison> comparisons) {
    std::string text;
    const bool has_floor = std::ranges::any_of(comparisons, has_noise_floor);
    if (has_floor)
        text += "A/A: change between two arms of the baseline, which differ in nothing: what changes by itself.\n";
    if (occurs(comparisons, Verdict::noise))
        text += fmt::format("~ cannot be told from noise (Mann-Whitney U, two-sided p > {:g}{}).\n", test_level,
                            has_floor ? ", or no more than A/A" : "");
    if (occurs(comparisons, Verdict::drift))
        text += "^ not run in turns with the baseline, and values drift: the machine may have changed instead.\n";
    if (occurs(comparisons, Verdict::too_few))
        text +=
            fmt::format("? fewer than {} finished trials on a side: too few to tell from noise.\n", fewest_for_test);
    return text;
}

CellText mean_cell(const MetricRow& row, std::size_t column, const TableOptions& options) {
    const Cell& cell = row.cells[column];
    if (!cell.mean) return {fmt::format("{:>10} {:11}", "-", fmt::format("({})", cell.why_no_mean))};
    const std::string value = number(*cell.mean, decimals(row));
    if (column == 0) {
        if (!row.control_again) return {fmt::format("{:>10} {:11}", value, "")};
        const Cell& again = *row.control_again;
        return {again.change_percent
                    ? fmt::format("{:>10} (A/A{:>7}%)", value, percent(*again.change_percent, options.rounding))
                    : fmt::format("{:>10} (A/A: {})", value, again.why_no_change)};
    }
    if (!cell.change_percent) return {fmt::format("{:>10} {:11}", value, fmt::format("({})", cell.why_no_change))};
    return {
        fmt::format("{:>10} ({:>7}%){}", value, percent(*cell.change_percent, options.rounding), mark(cell.verdict)),
        paint_of(cell)};
}

bool is_control(const StrategyColumn& column) {
    return column.policy == "os" && column.cpus == "all" && held_by(column).empty();
}

std::array<std::string, 3> header_of(const StrategyColumn& column) {
    const std::string who = !column.variant.empty() ? column.variant
                            : is_control(column)    ? "OS default"
                                                    : column.policy;
    if (!column.file.empty() && !column.strategies_differ) return {column.file, last_line(column, ""), ""};
    const std::string cpus = column.cpus.empty() ? "" : fmt::format("cpus {}", column.cpus);
    const std::string held = last_line(column, held_by(column));
    if (column.file.empty()) return {who, cpus, held};
    return {column.file, fmt::format("{}{}{}", who, who.empty() || cpus.empty() ? "" : ", ", cpus), held};
}

std::string name_of(const StrategyColumn& column) {
    std::string name;
    for (const std::string& part : header_of(column))
        if (!part.empty()) name += fmt::format("{}{}", name.empty() ? "" : ", ", part);
    return name;
}

std::string title_of(const Comparison& comparison) {
    std::string title = comparison.workload;
    if (comparison.threads > 0)  // other programs do not always tell
        title += fmt::format(", {} thread{}", comparison.threads, comparison.threads == 1 ? "" : "s");
    for (const std::string& part : {comparison.parameters, comparison.strategy})
        if (!part.empty()) title += fmt::format(", {}", part);
    return title;
}

bool has_noise_floor(const Comparison& comparison) {
    return std::ranges::any_of(comparison.rows, [](const MetricRow& row) { return row.control_again.has_value(); });
}

std::size_t column_width(const StrategyColumn& column, bool has_noise_floor) {
    constexpr std::size_t change = 23;
    constexpr std::size_t noise_floor = 24;
    std::size_t width = has_noise_floor ? noise_floor : change;
    for (const std::string& line : header_of(column))
        width = std::max(width, line.size());
    return width;
}

std::string painted(const CellText& cell, std::size_t width, bool colour) {
    std::string text = fmt::format("{:{}}", cell.text, width);
    if (!colour || cell.paint == Paint::none) return text;
    const std::string_view code = cell.paint == Paint::better ? "32" : cell.paint == Paint::worse ? "31" : "2";
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace pinwise
