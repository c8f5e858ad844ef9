#include "runner/compare/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "runner/compare/cells.hpp"
#include "runner/compare/kernel_table.hpp"
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

class TableWriter {
public:
    TableWriter(const Comparison& comparison, bool emulated) : comparison_(comparison), emulated_(emulated) {
        for (const StrategyColumn& column : comparison.columns)
            widths_.push_back(column_width(column));
    }

    std::string write() {
        text_ =
            fmt::format("{}, {} thread{}, {}\n{}\n", comparison_.workload, comparison_.threads,
                        comparison_.threads == 1 ? "" : "s", comparison_.parameters, emulated_ ? emulated_label : "");
        write_header();
        for (const MetricRow& row : comparison_.rows)
            write_means(row);
        text_ += "\nCoeffVar  min..max\n";
        for (const MetricRow& row : comparison_.rows)
            write_spread(row);
        write_trials();
        write_placement();
        write_twins();
        write_labels();
        write_remarks_and_failures();
        return std::move(text_);
    }

private:
    template <class CellText>
    void line(const std::string& label, CellText cell_text) {
        text_ += table_line(label, widths_, cell_text);
    }

    void write_header() {
        for (std::size_t part = 0; part < 3; ++part)
            line("", [&](std::size_t i) { return fmt::format("{:>21}", header_of(comparison_.columns[i]).at(part)); });
    }

    void write_means(const MetricRow& row) {
        const std::string_view mean = row.better == Better::higher ? "Hmean" : "Amean";
        line(fmt::format("{:5} {:9} {}", mean, row.metric, row.unit),
             [&](std::size_t i) { return mean_cell(row.cells[i], row, i == 0); });
    }

    void write_spread(const MetricRow& row) {
        line(fmt::format("{:11} {}", row.metric, row.unit),
             [&](std::size_t i) { return spread_cell(row.cells[i], row); });
    }

    void write_trials() {
        line("n (trials)", [&](std::size_t i) {
            const StrategyColumn& column = comparison_.columns[i];
            const std::string failed = column.failed > 0 ? fmt::format("({} failed)", column.failed) : "";
            return fmt::format("{:>10} {:11}", column.trials - column.failed, failed);
        });
    }

    void write_placement() {
        text_ += "\nWhere the threads started (medians over the trials)\n";
        for (const StrategyColumn& column : comparison_.columns)
            text_ += fmt::format("  {:44} {}\n", name_of(column), placement_of(column));
    }

    static std::string name_of(const StrategyColumn& column) {
        const auto [policy, cpus, bind] = header_of(column);
        return fmt::format("{}, {}{}{}", policy, cpus, bind.empty() ? "" : ", ", bind);
    }

    static std::string placement_of(const StrategyColumn& column) {
        if (column.trials == column.failed) return "no finished trial";
        if (column.start_counts.empty()) return fmt::format("not known: {}", column.why_no_placement);
        const int finished = column.trials - column.failed;
        std::string text = fmt::format(
            "nodes {}{}, most threads on one CPU {:g}, LLCs used {:g}, migrations {}, first CPU from {}",
            column.start_counts,
            column.trials_with_start_counts == finished
                ? ""
                : fmt::format(" in {} of {}", column.trials_with_start_counts, finished),
            *column.most_threads_on_one_cpu, *column.llcs_used,
            column.migrations ? fmt::format("{:g}", *column.migrations) : "not known", column.first_cpu_means);
        if (column.trials_affinity_not_kept > 0)
            text += fmt::format(", affinity not kept in {} trials", column.trials_affinity_not_kept);
        return text;
    }

    /// On a small machine two masks can be the same CPUs: the columns then show the noise of the machine.
    void write_twins() {
        const auto& columns = comparison_.columns;
        for (std::size_t a = 0; a < columns.size(); ++a) {
            for (std::size_t b = a + 1; b < columns.size(); ++b) {
                const bool same_but_for_names = columns[a].mask == columns[b].mask &&
                                                columns[a].policy == columns[b].policy &&
                                                header_of(columns[a])[2] == header_of(columns[b])[2];
                if (same_but_for_names)
                    text_ += fmt::format(
                        "  columns {} and {} are the same strategy here (CPUs {}): their difference is noise\n", a + 1,
                        b + 1, columns[a].mask);
            }
        }
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
                    own += fmt::format("{}{} ({} of {} trials)", own.empty() ? "" : ", ", label, count, column.trials);
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
    bool emulated_;
    std::vector<std::size_t> widths_;
    std::string text_;
};

std::string legend(std::span<const Comparison> comparisons) {
    const auto occurs = [&](Verdict verdict) {
        return std::ranges::any_of(comparisons, [&](const Comparison& each) {
            return std::ranges::any_of(each.rows, [&](const MetricRow& row) {
                return std::ranges::any_of(row.cells, [&](const Cell& cell) { return cell.verdict == verdict; });
            });
        });
    };
    std::string text =
        "\n( %) change against the first column; positive is better, for rates and for times.\n"
        "Hmean: harmonic mean (rates); Amean: arithmetic mean (times).\n";
    if (occurs(Verdict::noise))
        text += fmt::format("~ cannot be told from noise (Mann-Whitney U, two-sided p > {:g}).\n", test_level);
    if (occurs(Verdict::too_few))
        text +=
            fmt::format("? fewer than {} finished trials on a side: too few to tell from noise.\n", fewest_for_test);
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

std::string format_tables(std::span<const Comparison> comparisons, std::string_view machine_kind) {
    std::string text;
    for (const Comparison& each : comparisons)
        text += fmt::format("{}{}", text.empty() ? "" : "\n", TableWriter(each, machine_kind == "emulated").write());
    text += kernel_tables(comparisons, machine_kind);
    if (!comparisons.empty()) text += legend(comparisons);
    return text;
}

}  // namespace pinwise
