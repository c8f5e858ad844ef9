#pragma once
/// Lines and headers of the tables that have a value and a percentage a column and nothing else. Pure.

#include <span>
#include <string>
#include <vector>

#include "runner/compare/cells.hpp"
#include "runner/compare/comparison.hpp"

namespace pinwise {

/// Width of each column: a value of 12 characters and " (   0.00%)", or the longest line of its header.
std::vector<std::size_t> plain_widths(const Comparison& comparison);

/// The columns' names, right-aligned, above `label_width` blanks; lines that all columns lack are left out.
std::string plain_header(const Comparison& comparison, std::size_t label_width, std::span<const std::size_t> widths);

/// A label and one cell a column, right-aligned, without blanks at the end.
template <class CellOf>
std::string plain_line(const std::string& label, std::span<const std::size_t> widths, CellOf cell_of, bool colour) {
    std::string line = label;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        CellText cell = cell_of(i);
        cell.text = fmt::format("{:>{}}", cell.text, widths[i]);
        line += painted(cell, widths[i], colour);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

}  // namespace pinwise
