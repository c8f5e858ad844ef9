#pragma once
/// Draws plots with the program gnuplot.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/report/plot.hpp"

namespace pinwise::report {

struct Drawing {
    std::vector<std::optional<std::string>> svgs;  ///< one a plot, as gnuplot wrote it; absent when it was not drawn
    std::string why_missing;                       ///< why some are absent, in a line; "" when none is
};

/// One gnuplot process draws all, with its defaults (no user's start file). With `folder` (which exists) each plot is
/// also written there as FILE_NAME.svg, .png and .pdf.
Drawing draw(std::span<const Plot> plots, const std::string& folder = "");

}  // namespace pinwise::report
