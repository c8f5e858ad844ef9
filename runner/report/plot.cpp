#include "runner/report/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "placer/quoted.hpp"

namespace pinwise::report {

std::string gnuplot_text(std::string_view text) {
    std::string literal = "'";
    for (const char c : on_one_line(text))
        literal += c == '\'' ? std::string("''") : std::string(1, c);
    return literal + "'";
}

std::string file_name_of(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
        if (plain) {
            name += lower;
        } else if (!name.empty() && name.back() != '-') {
            name += '-';
        }
    }
    if (name.ends_with('-')) name.pop_back();
    return name;
}

std::string strategy_letter(std::size_t column) {
    constexpr std::size_t letters = 26;
    std::string name;
    for (std::size_t rest = column + 1; rest > 0; rest = (rest - 1) / letters)
        name.insert(name.begin(), static_cast<char>('A' + (rest - 1) % letters));
    return name;
}

SeriesStyle series_style(std::size_t column) {
    constexpr std::array<std::string_view, 5> colours{"#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7"};
    constexpr std::array<int, 9> point_types{7, 5, 9, 13, 11, 6, 4, 8, 12};
    return {colours.at(column % colours.size()), point_types.at(column % point_types.size())};
}

std::string common_commands() {
    return fmt::format(
        "reset\n"
        "unset key\n"
        "set border 3 lc rgb '{1}'\n"
        "set tics nomirror scale 0.5 textcolor rgb '{0}'\n"
        "set grid lt 1 lw 0.5 lc rgb '{2}'\n",
        text_colour, axis_colour, grid_colour);
}

Scale scale_for(std::string_view unit, double largest) {
    constexpr double thousand = 1000;
    constexpr double longest_number = 10000;
    if (largest < longest_number) return {1, std::string(unit)};
    if (unit == "MB/s") return {thousand, "GB/s"};
    if (largest < longest_number * thousand) return {thousand, fmt::format("thousand {}", unit)};
    return {thousand * thousand, fmt::format("million {}", unit)};
}

AxisRange axis_range(double least, double largest) {
    if (!(largest > least)) {
        const double around = least == 0 ? 1 : std::fabs(least) / 10;
        least -= around;
        largest += around;
    }
    const double margin = (largest - least) / 20;
    const double rough_step = (largest - least) / 5;
    const double magnitude = std::pow(10, std::floor(std::log10(rough_step)));
    constexpr std::array<double, 5> nice{1, 2, 2.5, 5, 10};
    const auto* const fitting =
        std::ranges::find_if(nice, [&](double factor) { return factor * magnitude >= rough_step; });
    return {least - margin, largest + margin, (fitting == nice.end() ? nice.back() : *fitting) * magnitude};
}

}  // namespace pinwise::report
