#include "runner/compare/mmtests_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "runner/compare/plain_layout.hpp"
#include "runner/stats/summary.hpp"
#include "runner/stats/welch_test.hpp"

namespace pinwise {
namespace {

using Value = std::optional<double> MmtestsSummary::*;

struct Statistic {
    std::string_view rate_name;
    std::string_view time_name;
    Value value;
    bool smaller_is_better;  ///< whatever the metric is
};

constexpr std::array<Statistic, 6> statistics{
    {{"Min", "Min", &MmtestsSummary::min, false},
     {"Hmean", "Amean", &MmtestsSummary::mean, false},
     {"HStddev", "Stddev", &MmtestsSummary::standard_deviation, true},
     {"HCoeffVar", "CoeffVar", &MmtestsSummary::coefficient_of_variation, true},
     {"Max", "Max", &MmtestsSummary::max, false},
     {"BHmean-95", "BAmean-95", &MmtestsSummary::best_95_mean, false}}};

std::optional<double> deviation_of_harmonic_mean(std::span<const double> values) {
    const auto mean = harmonic_mean(values);
    if (!mean || values.size() < 2) return std::nullopt;
    double squares = 0;
    for (const double value : values) {
        const double difference = *mean / value - 1;  // h (1/x - 1/h)
        squares += difference * difference;
    }
    return *mean * std::sqrt(squares / static_cast<double>(values.size()));
}

std::optional<double> mean_of(std::span<const double> values, Better better) {
    return better == Better::higher ? harmonic_mean(values) : arithmetic_mean(values);
}

bool starred(const Cell& cell, const MmtestsSummary& summary, const Cell& baseline, const MmtestsSummary& of_baseline) {
    if (!summary.mean || !of_baseline.mean) return false;
    const auto moments = [](const Cell& of, const MmtestsSummary& known) {
        return SampleMoments{*known.mean, known.standard_deviation.value_or(0), static_cast<int>(of.values.size())};
    };
    const auto p = welch_p(moments(cell, summary), moments(baseline, of_baseline));
    return p && *p <= test_level;
}

/// One row of the table: a statistic of a metric in all columns.
class RowWriter {
public:
    RowWriter(const MetricRow& row, const TableOptions& options) : row_(row), options_(options) {
        for (const Cell& cell : row.cells)
            summaries_.push_back(mmtests_summary(cell.values, row.better));
    }

    [[nodiscard]] std::string name(const Statistic& statistic) const {
        return std::string(row_.better == Better::higher ? statistic.rate_name : statistic.time_name);
    }

    [[nodiscard]] CellText cell(const Statistic& statistic, std::size_t column) const {
        const auto value = summaries_[column].*statistic.value;
        if (!value) return {fmt::format("{:>12} {:10}", "-", fmt::format("({})", why_absent(column)))};
        const auto baseline = summaries_.front().*statistic.value;
        const Better better = statistic.smaller_is_better ? Better::lower : row_.better;
        // The baseline against itself, and a zero that stayed zero, have not changed.
        const auto change = !baseline             ? std::nullopt
                            : *baseline == *value ? std::optional(0.0)
                                                  : change_percent(*baseline, *value, better);
        if (!change) return {fmt::format("{:12.2f} {:10}", *value, baseline ? "(base 0)" : "(no base)")};
        const bool stars = statistic.value == &MmtestsSummary::mean && column > 0 &&
                           starred(row_.cells[column], summaries_[column], row_.cells.front(), summaries_.front());
        const CellText::Paint paint = !stars        ? CellText::Paint::none
                                      : *change > 0 ? CellText::Paint::better
                                                    : CellText::Paint::worse;
        return {fmt::format("{:12.2f} {}{:>7}%{}", *value, stars ? '*' : '(', percent(*change, options_.rounding),
                            stars ? '*' : ')'),
                paint};
    }

private:
    [[nodiscard]] std::string why_absent(std::size_t column) const {
        const Cell& cell = row_.cells[column];
        if (!cell.mean) return cell.why_no_mean;
        return cell.values.size() == 1 ? "1 trial" : "no value";
    }

    const MetricRow& row_;
    const TableOptions& options_;
    std::vector<MmtestsSummary> summaries_;
};

}  // namespace

MmtestsSummary mmtests_summary(std::span<const double> values, Better better) {
    MmtestsSummary summary;
    if (values.empty()) return summary;
    std::vector<double> best_first(values.begin(), values.end());
    if (better == Better::higher) {
        std::ranges::sort(best_first, std::greater<>());
    } else {
        std::ranges::sort(best_first);
    }
    summary.min = minimum(values);
    summary.max = maximum(values);
    summary.mean = mean_of(values, better);
    summary.standard_deviation =
        better == Better::higher ? deviation_of_harmonic_mean(values) : standard_deviation(values);
    if (summary.standard_deviation && summary.mean && *summary.mean != 0)
        summary.coefficient_of_variation = 100 * *summary.standard_deviation / *summary.mean;
    const std::size_t best = std::max<std::size_t>(1, values.size() * 95 / 100);
    summary.best_95_mean = mean_of(std::span(best_first).first(best), better);
    return summary;
}

std::string format_mmtests(std::span<const Comparison> comparisons, const TableOptions& options) {
    std::string text;
    for (const Comparison& comparison : comparisons) {
        std::vector<RowWriter> rows;
        std::size_t name_width = 0;
        for (const MetricRow& row : comparison.rows) {
            rows.emplace_back(row, options);
            name_width = std::max(name_width, row.metric.size());
        }
        constexpr std::size_t statistic_width = 9;
        const std::vector<std::size_t> widths = plain_widths(comparison);
        text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", title_of(comparison),
                            options.emulated() ? emulated_label : "");
        text += plain_header(comparison, statistic_width + 1 + name_width, widths);
        for (const Statistic& statistic : statistics) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                text += plain_line(
                    fmt::format("{:{}} {:{}}", rows[i].name(statistic), statistic_width, comparison.rows[i].metric,
                                name_width),
                    widths, [&](std::size_t column) { return rows[i].cell(statistic, column); }, options.colour);
        }
    }
    return text;
}

}  // namespace pinwise
