#pragma once
/// What a reader of a comparison has to know beside its numbers, as lines of text. Pure.

#include <string>
#include <vector>

#include "runner/compare/cells.hpp"
#include "runner/compare/comparison.hpp"

namespace pinwise {

/// Baseline that is not the OS default, columns that are the same strategy, two-valued samples, changes like with
/// like, outliers, drift, columns that did not run in turns. A line each, without a line end.
std::vector<std::string> notes_of(const Comparison& comparison, const TableOptions& options);

/// "nodes {4}{4} in 9 of 10, most threads on one CPU 1 (1..2), ..., first CPU from agent"
std::string placement_of(const StrategyColumn& column);

}  // namespace pinwise
