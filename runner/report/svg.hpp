#pragma once
/// gnuplot's SVG as a part of a page: in the page's colours, light and dark, with a name and without foreign ids. Pure.

#include <string>
#include <string_view>

#include "runner/report/html.hpp"
#include "runner/report/plot.hpp"

namespace pinwise::report {

/// `svg` as gnuplot wrote it for `plot`; `id` is unique on the page. "" when it is no SVG of gnuplot's.
Html inline_svg(std::string_view svg, const Plot& plot, const std::string& id);

}  // namespace pinwise::report
