#pragma once
/// A comparison as a table of GitHub's Markdown. Pure.

#include <span>
#include <string>

#include "runner/compare/cells.hpp"
#include "runner/compare/comparison.hpp"

namespace pinwise {

/// A heading, a table and a list of notes per comparison, and the legend of the marks below the last.
std::string format_markdown(std::span<const Comparison> comparisons, const TableOptions& options);

}  // namespace pinwise
