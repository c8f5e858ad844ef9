#include <algorithm>

#include <fmt/format.h>

#include "runner/report/trial_plots.hpp"
#include "runner/stats/summary.hpp"

namespace pinwise::report {
namespace {

constexpr int plot_height = 270;
constexpr double bytes_per_mb = 1e6;

/// Values of one iteration over a strategy's trials.
struct Spread {
    double least;
    double middle;
    double largest;
};

struct Series {
    std::size_t column;
    std::vector<Spread> iterations;
};

const IterationSeries* series_of(const WorkloadDetail& detail, const std::string& kernel) {
    const auto found = std::ranges::find(detail.iterations, kernel, &IterationSeries::kernel);
    return found == detail.iterations.end() ? nullptr : &*found;
}

/// Every trial's series of a kernel, by strategy.
using SeriesOfStrategy = std::vector<std::vector<const IterationSeries*>>;

SeriesOfStrategy collect(const Comparison& comparison, const std::map<int, WorkloadDetail>& details,
                         const std::string& kernel) {
    SeriesOfStrategy collected(comparison.columns.size());
    for (std::size_t i = 0; i < collected.size(); ++i) {
        for (const int trial : comparison.columns[i].trial_numbers) {
            const auto detail = details.find(trial);
            if (detail == details.end()) continue;
            if (const IterationSeries* const series = series_of(detail->second, kernel)) collected[i].push_back(series);
        }
    }
    return collected;
}

bool all_know_their_bytes(const SeriesOfStrategy& collected) {
    return std::ranges::all_of(collected, [](const auto& of_strategy) {
        return std::ranges::all_of(of_strategy,
                                   [](const IterationSeries* series) { return series->bytes.has_value(); });
    });
}

/// Median, least and most of each iteration that every trial of the strategy has.
std::vector<Spread> spreads(const std::vector<const IterationSeries*>& trials, bool as_rate) {
    std::size_t common = trials.front()->times_s.size();
    for (const IterationSeries* const trial : trials)
        common = std::min(common, trial->times_s.size());
    std::vector<Spread> result;
    std::vector<double> values(trials.size());
    for (std::size_t iteration = 0; iteration < common; ++iteration) {
        std::ranges::transform(trials, values.begin(), [&](const IterationSeries* trial) {
            const double time_s = trial->times_s[iteration];
            return as_rate ? *trial->bytes / time_s / bytes_per_mb : time_s;
        });
        result.push_back({*minimum(values), *median(values), *maximum(values)});
    }
    return result;
}

double largest_of(const std::vector<Series>& all) {
    double largest = 0;
    for (const Series& series : all)
        for (const Spread& spread : series.iterations)
            largest = std::max(largest, spread.largest);
    return largest;
}

std::size_t most_iterations(const std::vector<Series>& all) {
    return std::ranges::max(all, {}, [](const Series& series) { return series.iterations.size(); }).iterations.size();
}

std::string iterations_data(const Series& series, double divisor) {
    std::string data = fmt::format("$series{} << EOD\n", series.column);
    for (std::size_t n = 0; n < series.iterations.size(); ++n) {
        const Spread& spread = series.iterations[n];
        data += fmt::format("{} {:.9g} {:.9g} {:.9g}\n", n + 1, spread.middle / divisor, spread.least / divisor,
                            spread.largest / divisor);
    }
    return data + "EOD\n";
}

std::string iterations_commands(const std::vector<Series>& all, const std::string& label, double divisor) {
    constexpr std::size_t most_tics = 8;
    std::string data;
    std::string plot;
    for (const Series& series : all) {
        data += iterations_data(series, divisor);
        const auto [colour, point_type] = series_style(series.column);
        plot += fmt::format(
            "{0} $series{1} using 1:3:4 notitle with filledcurves fs transparent solid 0.12 noborder lc rgb '{2}', "
            "$series{1} using 1:2 title '{3}' with linespoints pt {4} ps 0.5 lw 1.5 lc rgb '{2}'",
            plot.empty() ? "plot" : ",", series.column, colour, strategy_letter(series.column), point_type);
    }
    return fmt::format(
        "{}{}set key above horizontal left textcolor rgb '{}'\nset xlabel 'iteration'\nset ylabel {}\n"
        "set yrange [0:*]\nset ytics {:.9g}\nset grid ytics\nset xtics 1,{}\n{}\n",
        data, common_commands(), text_colour, gnuplot_text(label), axis_range(0, largest_of(all) / divisor).step,
        most_iterations(all) / most_tics + 1, plot);
}

/// The courses of a strategy's trials; gnuplot begins a new line where one is empty.
std::string local_courses(const StrategyColumn& column, const std::map<int, WorkloadDetail>& details) {
    std::string data;
    for (const int trial : column.trial_numbers) {
        const auto detail = details.find(trial);
        if (detail == details.end() || detail->second.local_course.size() < 2) continue;
        for (const auto& [time_s, percent] : detail->second.local_course)
            data += fmt::format("{:.9g} {:.6g}\n", time_s, percent);
        data += '\n';
    }
    return data;
}

/// Everything but the horizontal axis.
std::string local_axis() {
    return fmt::format(
        "{}set key above horizontal left textcolor rgb '{}'\nset ylabel 'local pages in %'\nset yrange [-5:105]\n"
        "set ytics 25\nset grid ytics\n",
        common_commands(), text_colour);
}

}  // namespace

std::vector<std::string> kernels_of(const Comparison& comparison, const std::map<int, WorkloadDetail>& details) {
    std::vector<std::string> kernels;
    for (const StrategyColumn& column : comparison.columns) {
        for (const int trial : column.trial_numbers) {
            const auto detail = details.find(trial);
            if (detail == details.end()) continue;
            for (const IterationSeries& series : detail->second.iterations)
                if (series.times_s.size() > 1 && std::ranges::find(kernels, series.kernel) == kernels.end())
                    kernels.push_back(series.kernel);
        }
    }
    return kernels;
}

std::optional<Plot> iterations_plot(const Comparison& comparison, const std::map<int, WorkloadDetail>& details,
                                    const std::string& kernel, const std::string& file_prefix) {
    const SeriesOfStrategy collected = collect(comparison, details, kernel);
    const bool as_rate = all_know_their_bytes(collected);
    std::vector<Series> all;
    for (std::size_t i = 0; i < collected.size(); ++i)
        if (!collected[i].empty()) all.push_back({i, spreads(collected[i], as_rate)});
    if (all.empty()) return std::nullopt;
    const Scale scale = as_rate ? scale_for("MB/s", largest_of(all)) : Scale{1, "s"};
    Plot plot;
    plot.file_name = fmt::format("{}-{}-iterations", file_prefix, file_name_of(kernel));
    plot.title = fmt::format("{} of {} in every iteration", as_rate ? "Bandwidth" : "Time", kernel);
    plot.description =
        "A line is the median over a strategy's trials; the band around it reaches from the least to the "
        "most. The letters are the strategies of the table.";
    plot.width = plot_width;
    plot.height = plot_height;
    plot.commands = iterations_commands(all, fmt::format("{} in {}", kernel, scale.unit), scale.divisor);
    return plot;
}

std::optional<Plot> local_course_plot(const Comparison& comparison, const std::map<int, WorkloadDetail>& details,
                                      const std::string& file_prefix) {
    std::string data;
    std::string command;
    for (std::size_t i = 0; i < comparison.columns.size(); ++i) {
        const std::string courses = local_courses(comparison.columns[i], details);
        if (courses.empty()) continue;
        const auto [colour, point_type] = series_style(i);
        data += fmt::format("$course{} << EOD\n{}EOD\n", i, courses);
        command += fmt::format("{} $course{} title '{}' with linespoints pt {} ps 0.4 lc rgb '{}'",
                               command.empty() ? "plot" : ",", i, strategy_letter(i), point_type, colour);
    }
    if (data.empty()) return std::nullopt;
    Plot plot;
    plot.file_name = fmt::format("{}-local-course", file_prefix);
    plot.title = "Local share of the pages during the trials";
    plot.description =
        "A line is a trial: percent of its sampled pages on the node of their thread, from the start to "
        "the end. The letters are the strategies of the table.";
    plot.width = plot_width;
    plot.height = plot_height;
    plot.commands =
        fmt::format("{}{}set xlabel 'seconds into the trial'\nset xtics autofreq\n{}\n", data, local_axis(), command);
    return plot;
}

std::optional<Plot> local_share_plot(const Comparison& comparison, const std::map<int, WorkloadDetail>& details,
                                     const PositionOfTrial& positions, const std::string& file_prefix) {
    std::string data;
    std::string command;
    for (std::size_t i = 0; i < comparison.columns.size(); ++i) {
        std::string points;
        for (const int trial : comparison.columns[i].trial_numbers) {
            const auto detail = details.find(trial);
            const auto position = positions.find(trial);
            if (detail == details.end() || position == positions.end() || !detail->second.local_percent) continue;
            points += fmt::format("{} {:.6g}\n", position->second, *detail->second.local_percent);
        }
        if (points.empty()) continue;
        const auto [colour, point_type] = series_style(i);
        data += fmt::format("$local{} << EOD\n{}EOD\n", i, points);
        command += fmt::format("{} $local{} title '{}' with points pt {} ps 0.6 lc rgb '{}'",
                               command.empty() ? "plot" : ",", i, strategy_letter(i), point_type, colour);
    }
    if (data.empty()) return std::nullopt;
    Plot plot;
    plot.file_name = fmt::format("{}-local-share", file_prefix);
    plot.title = "Local share of the pages, trial by trial";
    plot.description =
        "Percent of each trial's sampled pages that lay on the node their thread last ran on, in the "
        "order the trials ran in. The letters are the strategies of the table.";
    plot.width = plot_width;
    plot.height = plot_height;
    plot.commands = fmt::format("{}{}set xlabel 'place in the order of trials'\n{}\n", data, local_axis(), command);
    return plot;
}

}  // namespace pinwise::report
