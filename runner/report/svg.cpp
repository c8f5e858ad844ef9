#include "runner/report/svg.hpp"

#include <algorithm>
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

/// gnuplot's ways of writing our colours, and the page's. The two of the heat map's numbers stay what they are.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> page_colours{{
    {"rgb(  0,   0,   0)", "currentColor"},
    {"rgb(0,0,0)", "currentColor"},
    {"\"black\"", "\"currentColor\""},
    {"rgb(128, 128, 128)", "var(--axis)"},
    {"rgb(208, 208, 208)", "var(--grid)"},
    {"rgb(  0, 114, 178)", "var(--s1)"},
    {"rgb(213,  94,   0)", "var(--s2)"},
    {"rgb(  0, 158, 115)", "var(--s3)"},
    {"rgb(204, 121, 167)", "var(--s4)"},
}};

/// What is between the SVG's first `<g` and its end: without gnuplot's title, description and background.
std::string_view drawing_of(std::string_view svg) {
    const std::size_t begin = svg.find("<g ");
    const std::size_t end = svg.rfind("</svg>");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
    return svg.substr(begin, end - begin);
}

/// gnuplot opens and closes a group for every change of colour or width, most of them for nothing.
std::string without_empty_groups(std::string_view drawing) {
    constexpr std::string_view opening = "<g fill=\"none\"";
    constexpr std::string_view closing = "</g>\n";
    std::string result;
    while (!drawing.empty()) {
        const std::size_t length = std::min(drawing.find('\n'), drawing.size() - 1) + 1;
        if (drawing.starts_with(opening) && drawing.substr(length).starts_with(closing)) {
            drawing.remove_prefix(length + closing.size());
            continue;
        }
        result += drawing.substr(0, length);
        drawing.remove_prefix(length);
    }
    return result;
}

}  // namespace

Html inline_svg(std::string_view svg, const Plot& plot, const std::string& id) {
    const std::string drawing = without_empty_groups(drawing_of(svg));
    if (drawing.empty()) return {};
    const std::string mark = fmt::format("id='{}-gp", id);
    const std::string mark_link = fmt::format("href='#{}-gp", id);
    const std::string filter = fmt::format("<filter id='{}-", id);
    const std::string group = fmt::format("id=\"{}-", id);
    const std::array<std::pair<std::string_view, std::string_view>, 4> own_ids{
        {{"id='gp", mark}, {"href='#gp", mark_link}, {"<filter id='", filter}, {"id=\"gnuplot_", group}}};
    return html(
        R"(<svg viewBox="0 0 {} {}" role="img" aria-labelledby="{}-title {}-desc"><title id="{}-title">{}</title><desc id="{}-desc">{}</desc>{}</svg>)",
        plot.width, plot.height, id, id, id, plot.title, id, plot.description,
        Html::trusted(replaced(replaced(drawing, page_colours), own_ids)));
}

}  // namespace pinwise::report
