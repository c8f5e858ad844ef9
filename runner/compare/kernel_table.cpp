#include "runner/compare/kernel_table.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "runner/compare/cells.hpp"

namespace pinwise {
namespace {

constexpr std::string_view npb_prefix = "npb-";
constexpr std::string_view class_prefix = "class=";

/// A kernel's comparison with its class taken out of the parameters.
struct KernelCase {
    const Comparison* comparison = nullptr;
    std::string name;  ///< "ep.D"
    std::string other_parameters;
};

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
    return a.comparison->threads == b.comparison->threads && a.other_parameters == b.other_parameters &&
           same_strategies(*a.comparison, *b.comparison);
}

std::vector<std::vector<KernelCase>> group_kernels(std::span<const Comparison> comparisons) {
    std::vector<std::vector<KernelCase>> groups;
    for (const Comparison& comparison : comparisons) {
        if (!comparison.workload.starts_with(npb_prefix)) continue;
        KernelCase each = kernel_case(comparison);
        const auto group = std::ranges::find_if(
            groups, [&](const std::vector<KernelCase>& known) { return belong_together(known.front(), each); });
        if (group == groups.end()) {
            groups.push_back({std::move(each)});
        } else {
            group->push_back(std::move(each));
        }
    }
    return groups;
}

/// One row of means; where no trial finished there is no such metric, and the cells say why.
std::string metric_line(const std::string& label, const Comparison& comparison, std::string_view metric,
                        std::span<const std::size_t> widths) {
    const auto row = std::ranges::find(comparison.rows, metric, &MetricRow::metric);
    return table_line(label, widths, [&](std::size_t i) {
        if (row != comparison.rows.end()) return mean_cell(row->cells[i], *row, i == 0);
        Cell missing;
        missing.why_no_mean = fmt::format("{} failed", comparison.columns[i].failed);
        return mean_cell(missing, {}, i == 0);
    });
}

std::string kernel_table(const std::vector<KernelCase>& kernels, bool is_emulated) {
    const Comparison& first = *kernels.front().comparison;
    std::vector<std::size_t> widths;
    for (const StrategyColumn& column : first.columns)
        widths.push_back(column_width(column));
    std::string text = fmt::format("\nNPB, {} thread{}, {}\n{}\n", first.threads, first.threads == 1 ? "" : "s",
                                   kernels.front().other_parameters, is_emulated ? emulated_label : "");
    for (std::size_t part = 0; part < 3; ++part)
        text += table_line("", widths,
                           [&](std::size_t i) { return fmt::format("{:>21}", header_of(first.columns[i]).at(part)); });
    for (const KernelCase& each : kernels)
        text += metric_line(fmt::format("Time {} s", each.name), *each.comparison, "Time", widths);
    text += '\n';
    for (const KernelCase& each : kernels)
        text += metric_line(fmt::format("sys-time-{} s", each.name), *each.comparison, "sys", widths);
    return text;
}

}  // namespace

std::string kernel_tables(std::span<const Comparison> comparisons, std::string_view machine_kind) {
    std::string text;
    for (const auto& kernels : group_kernels(comparisons))
        text += kernel_table(kernels, machine_kind == "emulated");
    return text;
}

}  // namespace pinwise
