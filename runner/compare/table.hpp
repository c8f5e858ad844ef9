#pragma once
/// A comparison as a table for the terminal. Pure.

#include <span>
#include <string>

#include "runner/compare/comparison.hpp"

namespace pinwise {

/// One table per comparison and, below the last, the legend of the marks.
std::string format_tables(std::span<const Comparison> comparisons);

}  // namespace pinwise
