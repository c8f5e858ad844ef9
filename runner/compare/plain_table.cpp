#include "runner/compare/plain_table.hpp"

#include <algorithm>
#include <vector>

#include "runner/compare/kernel_table.hpp"
#include "runner/compare/plain_layout.hpp"

namespace pinwise {
namespace {

/// A row of some comparison under the name it has in the table.
struct NamedRow {
    std::string name;
    const MetricRow* row = nullptr;
};

CellText plain_cell(const MetricRow& row, std::size_t column, const TableOptions& options) {
    const Cell& cell = row.cells[column];
    if (!cell.mean) return {fmt::format("- ({})", cell.why_no_mean)};
    if (column > 0 && !cell.change_percent) return {fmt::format("{:.2f} ({})", *cell.mean, cell.why_no_change)};
    const double change = column == 0 ? 0.0 : *cell.change_percent;
    return {fmt::format("{:.2f} ({:>7}%)", *cell.mean, percent(change, options.rounding))};
}

std::string plain_block(const Comparison& headed, const std::vector<NamedRow>& rows, const TableOptions& options) {
    std::size_t label_width = 9;
    for (const NamedRow& each : rows)
        label_width = std::max(label_width, each.name.size());
    const std::vector<std::size_t> widths = plain_widths(headed);
    std::string text = plain_header(headed, label_width, widths);
    for (const NamedRow& each : rows)
        text += plain_line(
            fmt::format("{:{}}", each.name, label_width), widths,
            [&](std::size_t i) { return plain_cell(*each.row, i, options); }, options.colour);
    return text;
}

std::string headline(const std::string& title, const TableOptions& options) {
    return fmt::format("{}\n{}\n", title, options.emulated() ? emulated_label : "");
}

std::string plain_kernels(const KernelGroup& group, const TableOptions& options) {
    const Comparison& first = *group.kernels.front().comparison;
    std::string text = headline(group.title, options);
    std::string_view separator;
    for (const auto& [metric, prefix] : {std::pair("Time", "Time "), std::pair("sys", "sys-time-")}) {
        std::vector<NamedRow> rows;
        for (const KernelCase& kernel : group.kernels)
            for (const MetricRow& row : kernel.comparison->rows)
                if (row.metric == metric) rows.push_back({prefix + kernel.name, &row});
        if (rows.empty()) continue;
        text += separator;
        text += plain_block(first, rows, options);
        separator = "\n";
    }
    return text;
}

std::string pct_cell(const MetricRow& row, std::size_t column, Rounding rounding) {
    const Cell& cell = row.cells[column];
    if (!cell.mean) return fmt::format("- ({})", cell.why_no_mean);
    if (column > 0 && !cell.change_percent) return fmt::format("{:.2f} ({})", *cell.mean, cell.why_no_change);
    return fmt::format("{:.2f} ({} pct)", *cell.mean, percent(column == 0 ? 0.0 : *cell.change_percent, rounding));
}

}  // namespace

std::string format_plain(std::span<const Comparison> comparisons, const TableOptions& options) {
    std::string text;
    const auto add = [&text](const std::string& table) { text += (text.empty() ? "" : "\n") + table; };
    for (const Comparison& comparison : comparisons) {
        if (is_kernel(comparison)) continue;
        std::vector<NamedRow> rows;
        for (const MetricRow& row : comparison.rows)
            rows.push_back({row.metric, &row});
        add(headline(title_of(comparison), options) + plain_block(comparison, rows, options));
    }
    for (const KernelGroup& group : group_kernels(comparisons))
        add(plain_kernels(group, options));
    return text;
}

std::string format_pct(std::span<const Comparison> comparisons, const TableOptions& options) {
    std::string text;
    for (const Comparison& comparison : comparisons) {
        text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", title_of(comparison),
                            options.emulated() ? emulated_label : "");
        for (std::size_t i = 0; i < comparison.columns.size(); ++i)
            text += fmt::format("{}. {}\n", i + 1, name_of(comparison.columns[i]));
        for (const MetricRow& row : comparison.rows) {
            text += row.metric + ':';
            for (std::size_t i = 0; i < row.cells.size(); ++i)
                text += ' ' + pct_cell(row, i, options.rounding);
            text += '\n';
        }
    }
    return text;
}

}  // namespace pinwise
