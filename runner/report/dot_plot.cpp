#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "runner/compare/cells.hpp"
#include "runner/report/trial_plots.hpp"
#include "runner/stats/bootstrap.hpp"

namespace pinwise::report {
namespace {

constexpr int row_height = 52;
constexpr int axis_height = 62;

/// Rows count downwards from 0; in a row, offsets from its middle.
constexpr double name_offset = -0.34;
constexpr double first_trial_offset = -0.14;
constexpr double last_trial_offset = 0.20;
constexpr double mean_offset = 0.36;
constexpr double mean_tick = 0.09;

struct Extent {
    double least;
    double largest;
};

std::optional<Extent> extent_of(const MetricRow& row) {
    std::optional<Extent> extent;
    for (const Cell& cell : row.cells) {
        for (const double value : cell.values) {
            if (!extent) extent = Extent{value, value};
            extent->least = std::min(extent->least, value);
            extent->largest = std::max(extent->largest, value);
        }
    }
    return extent;
}

/// Positions in `cell.values`, in the order the trials ran in.
std::vector<std::size_t> run_order(const Cell& cell) {
    std::vector<std::size_t> order(cell.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return cell.value_positions[i]; });
    return order;
}

/// Dots of one row: value and place.
std::string dots(const Cell& cell, std::size_t row, double divisor) {
    std::string data;
    const std::vector<std::size_t> order = run_order(cell);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double along = order.size() == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(order.size() - 1);
        const double offset = first_trial_offset + along * (last_trial_offset - first_trial_offset);
        data += fmt::format("{:.9g} {:.4f}\n", cell.values[order[i]] / divisor, static_cast<double>(row) + offset);
    }
    return data;
}

/// Interval of the mean: that of its change against itself, as if that were a sample without spread.
std::optional<Interval> mean_interval(std::span<const double> values, double mean, Better better) {
    constexpr double percent = 100;
    const std::vector<double> itself(fewest_for_interval, mean);
    auto interval =
        change_interval(itself, values, better == Better::higher ? MeanKind::harmonic : MeanKind::arithmetic);
    if (interval) *interval = {mean * (1 + interval->low / percent), mean * (1 + interval->high / percent)};
    return interval;
}

/// Mean as a tick and its interval as a line: gnuplot's vectors, x y dx dy.
std::string mean_and_interval(const Cell& cell, const MetricRow& metric, std::size_t row, double divisor) {
    if (!cell.mean) return {};
    const double y = static_cast<double>(row) + mean_offset;
    std::string data = fmt::format("{:.9g} {:.4f} 0 {}\n", *cell.mean / divisor, y - mean_tick, 2 * mean_tick);
    const auto interval = mean_interval(cell.values, *cell.mean, metric.better);
    if (interval)
        data += fmt::format("{:.9g} {:.4f} {:.9g} 0\n", interval->low / divisor, y,
                            (interval->high - interval->low) / divisor);
    return data;
}

std::string row_label(const StrategyColumn& column, const Cell& cell, std::size_t row) {
    constexpr std::size_t longest_name = 48;
    std::string name = fmt::format("{}  {}", strategy_letter(row), name_of(column));
    if (name.size() > longest_name) name = name.substr(0, longest_name - 3) + "...";
    if (cell.values.empty()) name += fmt::format(": {}", cell.why_no_mean);
    return fmt::format("set label {} {} at graph 0.01, first {:.3f} left textcolor rgb '{}'\n", row + 1,
                       gnuplot_text(name), static_cast<double>(row) + name_offset, text_colour);
}

/// Smaller dots where there are many of them.
double point_size(std::size_t values) {
    constexpr std::size_t few = 60;
    constexpr std::size_t many = 600;
    return values <= few ? 0.5 : values <= many ? 0.35 : 0.2;
}

std::string plot_command(const MetricRow& row) {
    std::string command = "plot";
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if (row.cells[i].values.empty()) continue;
        const auto [colour, point_type] = series_style(i);
        command +=
            fmt::format("{} $dots{} title '{}' with points pt {} ps {} lc rgb '{}'", command == "plot" ? "" : ",", i,
                        strategy_letter(i), point_type, point_size(row.cells[i].values.size()), colour);
        if (row.cells[i].mean)
            command += fmt::format(", $mean{} title '{}: mean' with vectors nohead lw 2 lc rgb '{}'", i,
                                   strategy_letter(i), text_colour);
    }
    return command + "\n";
}

std::string axes(const MetricRow& row, const Extent& extent, const Scale& scale) {
    const AxisRange range = axis_range(extent.least / scale.divisor, extent.largest / scale.divisor);
    return fmt::format(
        "set xlabel {}\nset xrange [{:.9g}:{:.9g}]\nset xtics {:.9g}\nset grid xtics\nunset ytics\nset border 1\n"
        "set yrange [{}:-0.6]\n",
        gnuplot_text(fmt::format("{} in {}, {} is better", row.metric, scale.unit,
                                 row.better == Better::higher ? "more" : "less")),
        range.low, range.high, range.step, static_cast<double>(row.cells.size()) - 0.4);
}

}  // namespace

std::optional<Plot> dot_plot(const Comparison& comparison, const MetricRow& row, const std::string& file_prefix) {
    const auto extent = extent_of(row);
    if (!extent) return std::nullopt;
    const Scale scale = scale_for(row.unit, std::max(-extent->least, extent->largest));
    Plot plot;
    plot.file_name = fmt::format("{}-{}-trials", file_prefix, file_name_of(row.metric));
    plot.title = fmt::format("{} of every trial", row.metric);
    plot.description = fmt::format(
        "One row for each of {} strategies; a dot is a trial, upper dots ran earlier; the "
        "tick below them is the mean, the line its 95 % interval.",
        row.cells.size());
    plot.width = plot_width;
    plot.height = axis_height + row_height * static_cast<int>(row.cells.size());
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const Cell& cell = row.cells[i];
        if (!cell.values.empty())
            plot.commands += fmt::format("$dots{} << EOD\n{}EOD\n", i, dots(cell, i, scale.divisor));
        if (cell.mean)
            plot.commands += fmt::format("$mean{} << EOD\n{}EOD\n", i, mean_and_interval(cell, row, i, scale.divisor));
    }
    plot.commands += common_commands() + axes(row, *extent, scale);
    for (std::size_t i = 0; i < row.cells.size(); ++i)
        plot.commands += row_label(comparison.columns[i], row.cells[i], i);
    plot.commands += plot_command(row);
    return plot;
}

}  // namespace pinwise::report
