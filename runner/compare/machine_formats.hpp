#pragma once
/// Comparisons for programs: CSV, JSON, and the samples behind them as mmtests-style TSV. Pure.

#include <span>
#include <string>

#include "runner/compare/cells.hpp"
#include "runner/compare/comparison.hpp"

namespace pinwise {

/// One record per cell, in the dialect of results/README.md; the columns are documented in docs/compare.md. A missing
/// value is an empty cell, `reason` says why.
std::string format_csv(std::span<const Comparison> comparisons);

/// One document, documented in docs/compare.md; what is missing is null, with the reason under "why".
std::string format_json(std::span<const Comparison> comparisons, const TableOptions& options);

/// The finished trials, one value a line: name, operation, sample, value, unit, better. read_mmtests_tsv() reads it.
std::string format_tsv(std::span<const Comparison> comparisons);

}  // namespace pinwise
