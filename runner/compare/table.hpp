#pragma once
/// A comparison as a table for the terminal. Pure.

#include <span>
#include <string>

#include "runner/compare/cells.hpp"
#include "runner/compare/comparison.hpp"

namespace pinwise {

/// One table per comparison and, below the last, the legend of the marks: means with their changes, 95 % intervals of
/// the changes, spread, where threads started, notes. Times and rates of an emulated machine are labelled as no
/// measurement in each table. A comparison of nodes with nodes is a matrix (node_matrix.hpp) instead.
std::string format_tables(std::span<const Comparison> comparisons, const TableOptions& options = {});

}  // namespace pinwise
