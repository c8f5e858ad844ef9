#include "runner/compare/plain_layout.hpp"

#include <algorithm>

namespace pinwise {

std::vector<std::size_t> plain_widths(const Comparison& comparison) {
    constexpr std::size_t value_and_change = 23;
    std::vector<std::size_t> widths;
    for (const StrategyColumn& column : comparison.columns) {
        std::size_t width = value_and_change;
        for (const std::string& line : header_of(column))
            width = std::max(width, line.size() + 2);
        widths.push_back(width);
    }
    return widths;
}

std::string plain_header(const Comparison& comparison, std::size_t label_width, std::span<const std::size_t> widths) {
    std::string text;
    for (std::size_t part = 0; part < 3; ++part) {
        const auto has_part = [part](const StrategyColumn& column) { return !header_of(column).at(part).empty(); };
        if (std::ranges::none_of(comparison.columns, has_part)) continue;
        text += plain_line(
            std::string(label_width, ' '), widths,
            [&](std::size_t i) { return CellText{header_of(comparison.columns[i]).at(part)}; }, false);
    }
    return text;
}

}  // namespace pinwise
