#pragma once
/// Means and percentages only, in the two forms of the literature. Pure.

#include <span>
#include <string>

#include "runner/compare/cells.hpp"
#include "runner/compare/comparison.hpp"

namespace pinwise {

/// As in 2018: "Time bt.D      442.77 (   0.00%)      419.70 (   5.21%)". Kernels of NPB with the same columns are one
/// table with a block of `Time` and a block of `sys-time` rows.
std::string format_plain(std::span<const Comparison> comparisons, const TableOptions& options);

/// As in 2022: "Copy: 97699.28 (0.00 pct) 95933.60 (-1.80 pct)".
std::string format_pct(std::span<const Comparison> comparisons, const TableOptions& options);

}  // namespace pinwise
