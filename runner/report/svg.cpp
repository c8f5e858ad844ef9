#include "runner/report/svg.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace pinwise::report {
namespace {

/// In one pass over `text`, the first pattern that fits at a place is replaced.
template <std::size_t Count>
std::string replaced(std::string_view text,
                     const std::array<std::pair<std::string_view, std::string_view>, Count>& replacements) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        bool found = false;
        for (const auto& [from, to] : replacements) {
            if (!text.substr(at).starts_with(from)) continue;
            result += to;
            at += from.size();
            found = true;
            break;
        }
        if (!found) result += text[at++];
    }
    return result;
}

/// gnuplot's way of writing our colours, and the page's. The two of the heat map's numbers stay what they are.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> page_colours{{
    {"rgb(  0,   0,   0)", "currentColor"},
    {"rgb(128, 128, 128)", "var(--axis)"},
    {"rgb(208, 208, 208)", "var(--grid)"},
    {"rgb(  0, 114, 178)", "var(--s1)"},
    {"rgb(213,  94,   0)", "var(--s2)"},
    {"rgb(  0, 158, 115)", "var(--s3)"},
    {"rgb(204, 121, 167)", "var(--s4)"},
    {"\"black\"", "\"currentColor\""},
}};

/// What is between the SVG's first `<g` and its end: without gnuplot's title, description and background.
std::string_view drawing_of(std::string_view svg) {
    const std::size_t begin = svg.find("<g ");
    const std::size_t end = svg.rfind("</svg>");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
    return svg.substr(begin, end - begin);
}

}  // namespace

Html inline_svg(std::string_view svg, const Plot& plot, const std::string& id) {
    const std::string_view drawing = drawing_of(svg);
    if (drawing.empty()) return {};
    const std::string own_marks = fmt::format("'{}gpPt", id);
    const std::string own_mark_links = fmt::format("'#{}gpPt", id);
    const std::string own_dot = fmt::format("'{}gpDot", id);
    const std::string own_dot_links = fmt::format("'#{}gpDot", id);
    const std::string own_groups = fmt::format("\"{}-", id);
    const std::array<std::pair<std::string_view, std::string_view>, 5> own_ids{{{"'gpPt", own_marks},
                                                                                {"'#gpPt", own_mark_links},
                                                                                {"'gpDot", own_dot},
                                                                                {"'#gpDot", own_dot_links},
                                                                                {"\"gnuplot_", own_groups}}};
    return html(
        R"(<svg viewBox="0 0 {} {}" role="img" aria-labelledby="{}-title {}-desc"><title id="{}-title">{}</title><desc id="{}-desc">{}</desc>{}</svg>)",
        plot.width, plot.height, id, id, id, plot.title, id, plot.description,
        Html::trusted(replaced(replaced(drawing, page_colours), own_ids)));
}

}  // namespace pinwise::report
