#include <algorithm>

#include <fmt/format.h>

#include "runner/report/trial_plots.hpp"

namespace pinwise::report {
namespace {

/// With more columns there is no room for numbers; the table below has them.
constexpr std::size_t most_labelled_columns = 8;

std::optional<double> mean_of(const NodeMatrix& matrix, const MetricRow& row, std::size_t i, std::size_t j) {
    const auto column = matrix.column(i, j);
    return column ? row.cells[*column].mean : std::nullopt;
}

std::optional<std::pair<double, double>> extent_of(const NodeMatrix& matrix, const MetricRow& row) {
    std::optional<std::pair<double, double>> extent;
    for (std::size_t i = 0; i < matrix.cpu_nodes.size(); ++i) {
        for (std::size_t j = 0; j < matrix.memory_nodes.size(); ++j) {
            const auto mean = mean_of(matrix, row, i, j);
            if (!mean) continue;
            if (!extent) extent = std::pair(*mean, *mean);
            extent->first = std::min(extent->first, *mean);
            extent->second = std::max(extent->second, *mean);
        }
    }
    return extent;
}

/// "('0' 0, '1' 1)"
std::string node_tics(const std::vector<int>& nodes) {
    std::string tics;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        tics += fmt::format("{}'{}' {}", i == 0 ? "" : ", ", nodes[i], i);
    return "(" + tics + ")";
}

std::string axes(const NodeMatrix& matrix, const Scale& scale, const std::pair<double, double>& extent) {
    const double low = extent.first / scale.divisor;
    const double high = extent.second / scale.divisor;
    const double width = high > low ? high - low : 1;
    return fmt::format(
        "set xlabel 'memory on node'\nset ylabel 'threads on node'\nset xtics {}\nset ytics {}\nunset grid\n"
        "set xrange [-0.5:{}]\nset yrange [{}:-0.5]\n"
        "set palette maxcolors 64 defined (0 '#00204d', 0.25 '#414d6b', 0.5 '#7c7b78', 0.75 '#bcaf6f', 1 '#ffea46')\n"
        "set cbrange [{:.9g}:{:.9g}]\nset cblabel {}\nset cbtics {:.9g}\n",
        node_tics(matrix.memory_nodes), node_tics(matrix.cpu_nodes),
        static_cast<double>(matrix.memory_nodes.size()) - 0.5, static_cast<double>(matrix.cpu_nodes.size()) - 0.5, low,
        low + width, gnuplot_text(scale.unit), axis_range(low, low + width).step);
}

/// The dark half of the palette needs light numbers.
std::string labels(const NodeMatrix& matrix, const MetricRow& row, const Scale& scale,
                   const std::pair<double, double>& extent) {
    if (matrix.memory_nodes.size() > most_labelled_columns) return {};
    std::string commands;
    for (std::size_t i = 0; i < matrix.cpu_nodes.size(); ++i) {
        for (std::size_t j = 0; j < matrix.memory_nodes.size(); ++j) {
            const auto mean = mean_of(matrix, row, i, j);
            const double along =
                mean && extent.second > extent.first ? (*mean - extent.first) / (extent.second - extent.first) : 0;
            commands += fmt::format("set label '{}' at {},{} center front textcolor rgb '{}'\n",
                                    mean ? fmt::format("{:.4g}", *mean / scale.divisor) : "-", j, i,
                                    !mean          ? text_colour
                                    : along < 0.45 ? "#fffffe"
                                                   : "#000001");
        }
    }
    return commands;
}

std::string cells(const NodeMatrix& matrix, const MetricRow& row, double divisor) {
    std::string data;
    for (std::size_t i = 0; i < matrix.cpu_nodes.size(); ++i)
        for (std::size_t j = 0; j < matrix.memory_nodes.size(); ++j)
            if (const auto mean = mean_of(matrix, row, i, j))
                data += fmt::format("{} {} {:.9g}\n", j, i, *mean / divisor);
    return data;
}

}  // namespace

std::optional<Plot> heat_map(const NodeMatrix& matrix, const MetricRow& row, const std::string& file_prefix) {
    const auto extent = extent_of(matrix, row);
    if (!extent) return std::nullopt;
    const Scale scale = scale_for(row.unit, extent->second);
    Plot plot;
    plot.file_name = fmt::format("{}-{}-nodes", file_prefix, file_name_of(row.metric));
    plot.title = fmt::format("{} by node of threads and node of memory", row.metric);
    plot.description =
        "A row for each node with threads, a column for each node with memory; the numbers are those of "
        "the table below.";
    plot.width = plot_width;
    plot.height = std::clamp(110 + 44 * static_cast<int>(matrix.cpu_nodes.size()), 200, plot_width);
    // Cells as boxes: an image would be a bitmap of one pixel a cell, which renderers smooth.
    plot.commands = fmt::format(
        "$cells << EOD\n{}EOD\n{}{}set style fill solid noborder\n{}plot $cells using 1:2:(0.5):(0.5):3 with "
        "boxxyerror lc "
        "palette\n",
        cells(matrix, row, scale.divisor), common_commands(), axes(matrix, scale, *extent),
        labels(matrix, row, scale, *extent));
    return plot;
}

}  // namespace pinwise::report
