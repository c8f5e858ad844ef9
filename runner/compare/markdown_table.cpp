#include "runner/compare/markdown_table.hpp"

#include "runner/compare/notes.hpp"

namespace pinwise {
namespace {

/// Text that is not taken for markup: a user's name may hold anything.
std::string escaped(std::string_view text) {
    constexpr std::string_view markup = "\\`*_{}[]<>#|~";
    std::string plain;
    for (const char c : text) {
        if (markup.find(c) != std::string_view::npos) plain += '\\';
        plain += c == '\n' || c == '\r' ? ' ' : c;
    }
    return plain;
}

std::string header_cell(const StrategyColumn& column) {
    std::string text;
    for (const std::string& part : header_of(column))
        if (!part.empty()) text += fmt::format("{}{}", text.empty() ? "" : "<br>", escaped(part));
    return text;
}

std::string value_cell(const MetricRow& row, std::size_t column, const TableOptions& options) {
    const Cell& cell = row.cells[column];
    if (!cell.mean) return fmt::format("– ({})", escaped(cell.why_no_mean));
    std::string text = number(*cell.mean, decimals(row));
    if (column == 0) return text;
    if (!cell.change_percent) return fmt::format("{} ({})", text, escaped(cell.why_no_change));
    const std::string change = percent(*cell.change_percent, options.rounding);
    text += cell.verdict == Verdict::differs ? fmt::format(" (**{} %**)", change)
                                             : fmt::format(" ({} %) {}", change, escaped(mark(cell.verdict)));
    if (cell.change_interval)
        text += fmt::format("<br>{} to {} %", percent(cell.change_interval->low, options.rounding),
                            percent(cell.change_interval->high, options.rounding));
    return text;
}

std::string noise_floor_cell(const MetricRow& row, Rounding rounding) {
    if (!row.control_again) return "";
    const auto floor = noise_floor_percent(row);
    return floor ? fmt::format(" {} % |", percent(*floor, rounding))
                 : fmt::format(" ({}) |", escaped(row.control_again->why_no_change));
}

std::string table_of(const Comparison& comparison, const TableOptions& options) {
    const bool floor = has_noise_floor(comparison);
    std::string text = floor ? "| metric | A/A |" : "| metric |";
    std::string rule = floor ? "|---|--:|" : "|---|";
    for (const StrategyColumn& column : comparison.columns) {
        text += fmt::format(" {} |", header_cell(column));
        rule += "--:|";
    }
    text += fmt::format("\n{}\n", rule);
    for (const MetricRow& row : comparison.rows) {
        text += fmt::format("| {} [{}] |{}", escaped(row.metric), escaped(row.unit),
                            noise_floor_cell(row, options.rounding));
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            text += fmt::format(" {} |", value_cell(row, i, options));
        text += '\n';
    }
    return text;
}

}  // namespace

std::string format_markdown(std::span<const Comparison> comparisons, const TableOptions& options) {
    std::string text;
    for (const Comparison& comparison : comparisons) {
        text += fmt::format("{}### {}\n\n", text.empty() ? "" : "\n", escaped(title_of(comparison)));
        if (options.emulated()) text += fmt::format("**{}**\n", emulated_label);
        text += table_of(comparison, options);
        std::string notes;
        for (const std::string& note : notes_of(comparison, options))
            notes += fmt::format("- {}\n", escaped(note));
        for (const StrategyColumn& column : comparison.columns)
            for (const std::string& failure : column.failures)
                notes += fmt::format("- failed: {}: {}\n", escaped(name_of(column)), escaped(failure));
        if (!notes.empty()) text += '\n' + notes;
    }
    if (text.empty()) return text;
    text +=
        "\nChange against the first column in percent, positive is better; bold: told from noise; below it the 95 % "
        "interval. Rates: harmonic means; times: arithmetic means.\n";
    const std::string marks = escaped(legend_of_marks(comparisons));
    return marks.empty() ? text : text + marks.substr(0, marks.size() - 1) + '\n';
}

}  // namespace pinwise
