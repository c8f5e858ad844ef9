#include "runner/compare/kernel_table.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "runner/compare/cells.hpp"

namespace pinwise {
namespace {

constexpr std::string_view npb_prefix = "npb-";
constexpr std::string_view class_prefix = "class=";

KernelCase kernel_case(const Comparison& comparison) {
    KernelCase result{&comparison, comparison.workload.substr(npb_prefix.size()), ""};
    std::istringstream words(comparison.parameters);
    for (std::string word; words >> word;) {
        if (word.starts_with(class_prefix)) {
            result.name = fmt::format("{}.{}", result.name, word.substr(class_prefix.size()));
        } else {
            if (!result.other_parameters.empty()) result.other_parameters += ' ';
            result.other_parameters += word;
        }
    }
    return result;
}

bool same_strategies(const Comparison& a, const Comparison& b) {
    return std::ranges::equal(a.columns, b.columns, [](const StrategyColumn& left, const StrategyColumn& right) {
        return header_of(left) == header_of(right);
    });
}

bool belong_together(const KernelCase& a, const KernelCase& b) {
    return a.comparison->threads == b.comparison->threads && a.comparison->strategy == b.comparison->strategy &&
           a.other_parameters == b.other_parameters && same_strategies(*a.comparison, *b.comparison);
}

/// "NPB, 2 threads, touch=parallel thp=default, os, cpus all": the title without the kernel and its class.
std::string title_of_kernels(const KernelCase& kernel) {
    Comparison all = *kernel.comparison;
    all.workload = "NPB";
    all.parameters = kernel.other_parameters;
    return title_of(all);
}

/// One row of means; where no trial finished there is no such metric, and the cells say why.
std::string metric_line(const std::string& label, const Comparison& comparison, std::string_view metric,
                        std::span<const std::size_t> widths, const TableOptions& options) {
    const auto row = std::ranges::find(comparison.rows, metric, &MetricRow::metric);
    if (row != comparison.rows.end())
        return table_line(
            label, widths, [&](std::size_t i) { return mean_cell(*row, i, options); }, options.colour);
    const auto has_failed = [](const StrategyColumn& column) { return column.failed > 0; };
    if (std::ranges::none_of(comparison.columns, has_failed)) return {};  // not among the metrics asked for
    MetricRow missing;
    for (const StrategyColumn& column : comparison.columns) {
        missing.cells.emplace_back();
        missing.cells.back().why_no_mean = fmt::format("{} failed", column.failed);
    }
    return table_line(label, widths, [&](std::size_t i) { return mean_cell(missing, i, options); });
}

std::string kernel_table(const KernelGroup& group, const TableOptions& options) {
    const Comparison& first = *group.kernels.front().comparison;
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < first.columns.size(); ++i)
        widths.push_back(column_width(first.columns[i], i == 0 && has_noise_floor(first)));
    std::string text = fmt::format("\n{}\n{}\n", group.title, options.emulated() ? emulated_label : "");
    for (std::size_t part = 0; part < 3; ++part)
        text += table_line("", widths,
                           [&](std::size_t i) { return fmt::format("{:>21}", header_of(first.columns[i]).at(part)); });
    for (const KernelCase& each : group.kernels)
        text += metric_line(fmt::format("Time {} s", each.name), *each.comparison, "Time", widths, options);
    text += '\n';
    for (const KernelCase& each : group.kernels)
        text += metric_line(fmt::format("sys-time-{} s", each.name), *each.comparison, "sys", widths, options);
    return text;
}

}  // namespace

bool is_kernel(const Comparison& comparison) {
    return comparison.workload.starts_with(npb_prefix);
}

std::vector<KernelGroup> group_kernels(std::span<const Comparison> comparisons) {
    std::vector<KernelGroup> groups;
    for (const Comparison& comparison : comparisons) {
        if (!is_kernel(comparison)) continue;
        KernelCase each = kernel_case(comparison);
        const auto group = std::ranges::find_if(
            groups, [&](const KernelGroup& known) { return belong_together(known.kernels.front(), each); });
        if (group == groups.end()) {
            groups.push_back({title_of_kernels(each), {std::move(each)}});
        } else {
            group->kernels.push_back(std::move(each));
        }
    }
    return groups;
}

std::string kernel_tables(std::span<const Comparison> comparisons, const TableOptions& options) {
    std::string text;
    for (const KernelGroup& group : group_kernels(comparisons))
        text += kernel_table(group, options);
    return text;
}

}  // namespace pinwise
