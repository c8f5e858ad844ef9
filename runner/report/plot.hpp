#pragma once
/// A picture as gnuplot commands, and what all pictures have in common. Pure.

#include <string>
#include <string_view>

namespace pinwise::report {

/// Pixels of a page at its narrowest, without its margins.
inline constexpr int plot_width = 380;

struct Plot {
    std::string file_name;    ///< without ending: letters, digits and '-'
    std::string title;        ///< what it shows, in a line
    std::string description;  ///< what is to be seen, for those who cannot see it
    int width = 0;            ///< pixels of the page at its narrowest
    int height = 0;
    std::string commands;  ///< for gnuplot, any terminal
};

/// A text as gnuplot's quoted literal: nothing in it is a command, a substitution or markup. With the terminals'
/// `noenhanced`.
std::string gnuplot_text(std::string_view text);

/// Lower case letters and digits of `text`, everything else as single '-'.
std::string file_name_of(std::string_view text);

/// "A", ..., "Z", "AA", ...: how a strategy is called where there is no room for its name.
std::string strategy_letter(std::size_t column);

/// Colour and mark of a strategy: both differ, so that neither is needed. Okabe and Ito's colours without those too
/// light for a white page.
struct SeriesStyle {
    std::string_view colour;  ///< "#0072b2"
    int point_type;           ///< gnuplot's
};
SeriesStyle series_style(std::size_t column);

/// Colours that svg.hpp turns into those of the page, light or dark.
inline constexpr std::string_view text_colour = "#000000";
inline constexpr std::string_view axis_colour = "#808080";
inline constexpr std::string_view grid_colour = "#d0d0d0";

/// Commands every plot begins with: no key, axes left and below, a light grid.
std::string common_commands();

/// Rates are divided so that numbers on an axis stay short.
struct Scale {
    double divisor = 1;
    std::string unit;
};
/// For values up to `largest`: GB/s for large MB/s, thousands or millions of other units.
Scale scale_for(std::string_view unit, double largest);

/// Range and step of an axis that holds both values, with a margin and at most five numbers on it.
struct AxisRange {
    double low = 0;
    double high = 1;
    double step = 1;
};
AxisRange axis_range(double least, double largest);

}  // namespace pinwise::report
