#include "runner/compare/table.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "runner/compare/kernel_table.hpp"
#include "runner/compare/node_matrix.hpp"
#include "runner/compare/notes.hpp"
#include "runner/compare/schedbench_table.hpp"
#include "runner/trial/labels.hpp"

namespace pinwise {
namespace {

/// Rates in MB/s need no fraction to show their spread.
std::string short_number(double value, const MetricRow& row) {
    return number(value, std::fabs(value) >= 1000 ? 0 : decimals(row));
}

std::string spread_cell(const Cell& cell, const MetricRow& row) {
    if (cell.values.empty()) return fmt::format("{:>10} {:11}", "-", fmt::format("({})", cell.why_no_mean));
    if (!cell.coefficient_of_variation)
        return fmt::format("{:>10} {:11}", "-", fmt::format("({})", cell.why_no_variation));
    return fmt::format("{:>6}%  {}..{}", number(*cell.coefficient_of_variation, 2), short_number(*cell.min, row),
                       short_number(*cell.max, row));
}

std::string interval_cell(const Cell& cell, Rounding rounding) {
    if (!cell.change_interval) return fmt::format("{:>10} {:11}", "-", fmt::format("({})", cell.why_no_interval));
    return fmt::format("[{:>8}, {:>8}]%", percent(cell.change_interval->low, rounding),
                       percent(cell.change_interval->high, rounding));
}

std::string interval_of_baseline(const MetricRow& row, Rounding rounding) {
    if (!row.control_again) return {};
    const std::string interval = interval_cell(*row.control_again, rounding);
    return row.control_again->change_interval ? "A/A " + interval : interval;
}

class TableWriter {
public:
    TableWriter(const Comparison& comparison, const TableOptions& options)
        : comparison_(comparison), options_(options) {
        const bool floor = has_noise_floor(comparison);
        std::size_t unit_width = 0;
        for (std::size_t i = 0; i < comparison.columns.size(); ++i)
            widths_.push_back(column_width(comparison.columns[i], floor && i == 0));
        for (const MetricRow& row : comparison.rows) {
            metric_width_ = std::max(metric_width_, row.metric.size());
            unit_width = std::max(unit_width, row.unit.size());
        }
        label_width_ = std::max(least_label_width, mean_width + 1 + metric_width_ + 1 + unit_width);
    }

    std::string write() {
        text_ = fmt::format("{}\n{}\n", title_of(comparison_), options_.emulated() ? emulated_label : "");
        write_header();
        for (const MetricRow& row : comparison_.rows)
            write_means(row);
        write_intervals();
        text_ += "\nCoeffVar  min..max\n";
        for (const MetricRow& row : comparison_.rows)
            write_spread(row);
        write_trials();
        write_placement();
        for (const std::string& note : notes_of(comparison_, options_))
            text_ += fmt::format("  {}\n", note);
        write_labels();
        write_remarks_and_failures();
        return std::move(text_);
    }

private:
    template <class CellOf>
    void line(const std::string& label, CellOf cell_of) {
        text_ += table_line(label, widths_, cell_of, options_.colour, label_width_);
    }

    void write_header() {
        for (std::size_t part = 0; part < 3; ++part)
            line("", [&](std::size_t i) { return fmt::format("{:>21}", header_of(comparison_.columns[i]).at(part)); });
    }

    void write_means(const MetricRow& row) {
        const std::string_view mean = row.better == Better::higher ? "Hmean" : "Amean";
        line(fmt::format("{:{}} {:{}} {}", mean, mean_width, row.metric, metric_width_, row.unit),
             [&](std::size_t i) { return mean_cell(row, i, options_); });
    }

    void write_intervals() {
        const auto has_interval = [](const Cell& cell) { return cell.change_interval.has_value(); };
        const auto row_has = [&](const MetricRow& row) { return std::ranges::any_of(row.cells, has_interval); };
        if (std::ranges::none_of(comparison_.rows, row_has)) return;
        text_ += "\n95 % interval of the change\n";
        for (const MetricRow& row : comparison_.rows)
            line(row.metric, [&](std::size_t i) {
                return i == 0 ? interval_of_baseline(row, options_.rounding)
                              : interval_cell(row.cells[i], options_.rounding);
            });
    }

    void write_spread(const MetricRow& row) {
        line(fmt::format("{:{}} {}", row.metric, metric_width_ + 2, row.unit),
             [&](std::size_t i) { return spread_cell(row.cells[i], row); });
    }

    void write_trials() {
        line("n (trials)", [&](std::size_t i) {
            const StrategyColumn& column = comparison_.columns[i];
            const std::string failed = column.failed > 0 ? fmt::format("({} failed)", column.failed) : "";
            const auto again = i > 0 || comparison_.rows.empty() ? std::nullopt : comparison_.rows[0].control_again;
            const int second_arm = again ? static_cast<int>(again->values.size()) : 0;
            const int finished = column.trials - column.failed;
            return fmt::format(
                "{:>10} {:11}",
                second_arm > 0 ? fmt::format("{}+{}", finished - second_arm, second_arm) : fmt::format("{}", finished),
                failed);
        });
    }

    void write_placement() {
        const auto unknown = [](const StrategyColumn& column) {
            return column.start_counts.empty() && column.why_no_placement.empty();
        };
        text_ += '\n';
        if (std::ranges::all_of(comparison_.columns, unknown)) return;
        text_ += "Where the threads started (medians over the trials, and ranges)\n";
        for (const StrategyColumn& column : comparison_.columns)
            text_ += fmt::format("  {:44} {}\n", name_of(column), placement_of(column));
    }

    [[nodiscard]] bool every_trial_has(const std::string& label) const {
        return std::ranges::all_of(comparison_.columns, [&](const StrategyColumn& column) {
            return std::ranges::find(column.labels, std::pair(label, column.trials)) != column.labels.end();
        });
    }

    void write_labels() {
        std::string common;
        for (const auto& [label, count] : comparison_.columns.front().labels)
            if (every_trial_has(label)) common += fmt::format("{}{}", common.empty() ? "" : ", ", label);
        if (!common.empty()) text_ += fmt::format("  labels of all trials: {}\n", common);
        for (const StrategyColumn& column : comparison_.columns) {
            std::string own;
            for (const auto& [label, count] : column.labels)
                if (!every_trial_has(label))
                    own += fmt::format("{}{} ({} of {} trial{})", own.empty() ? "" : ", ", label, count, column.trials,
                                       column.trials == 1 ? "" : "s");
            if (!own.empty()) text_ += fmt::format("  labels: {}: {}\n", name_of(column), own);
        }
    }

    void write_remarks_and_failures() {
        for (const StrategyColumn& column : comparison_.columns) {
            for (const std::string& remark : column.remarks)
                text_ += fmt::format("  note: {}: {}\n", name_of(column), remark);
            for (const std::string& failure : column.failures)
                text_ += fmt::format("  failed: {}: {}\n", name_of(column), failure);
        }
    }

    const Comparison& comparison_;
    static constexpr std::size_t mean_width = 5;  // "Hmean"
    const TableOptions& options_;
    std::size_t metric_width_ = 9;
    std::size_t label_width_ = least_label_width;
    std::vector<std::size_t> widths_;
    std::string text_;
};

std::string legend(std::span<const Comparison> comparisons) {
    std::string text = "\n";
    const bool has_changes =
        std::ranges::any_of(comparisons, [](const Comparison& each) { return !find_node_matrix(each); });
    if (has_changes) text += "( %) change against the first column; positive is better, for rates and for times.\n";
    text += "Hmean: harmonic mean (rates); Amean: arithmetic mean (times).\n";
    if (has_changes) text += legend_of_marks(comparisons);
    const auto mentions = [&](std::string_view means) {
        return std::ranges::any_of(comparisons, [&](const Comparison& each) {
            return std::ranges::any_of(each.columns, [&](const StrategyColumn& column) {
                return column.first_cpu_means.find(means) != std::string::npos;
            });
        });
    };
    if (mentions("getcpu"))
        text += "first CPU from getcpu: the thread's own first look, which comes late and understates pile-ups.\n";
    for (const LabelInfo& info : label_infos()) {
        const auto has = [&](const StrategyColumn& column) {
            return std::ranges::find(column.labels, info.word, &std::pair<std::string, int>::first) !=
                   column.labels.end();
        };
        const auto anywhere = [&](const Comparison& each) { return std::ranges::any_of(each.columns, has); };
        if (std::ranges::any_of(comparisons, anywhere)) text += fmt::format("{}: {}.\n", info.word, info.meaning);
    }
    return text;
}

}  // namespace

std::string format_tables(std::span<const Comparison> comparisons, const TableOptions& options) {
    std::string text;
    for (const Comparison& each : comparisons) {
        const bool is_matrix = find_node_matrix(each).has_value();
        text += fmt::format("{}{}", text.empty() ? "" : "\n",
                            is_matrix ? node_matrix_tables(each, options) : TableWriter(each, options).write());
    }
    text += kernel_tables(comparisons, options);
    text += schedbench_tables(comparisons, options);
    if (!comparisons.empty()) text += legend(comparisons);
    return text;
}

}  // namespace pinwise
