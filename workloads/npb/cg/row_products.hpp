#pragma once
/// The inner loop of CG: rows of a sparse matrix times a vector, in vectors chosen at run time for this CPU.

#include <cstddef>
#include <cstdint>

namespace pinwise::npb::cg {

/// result[j] = Σ values[i] · x[columns[i]] over the elements i of row j, for `rows` rows that follow each other: the
/// first from element `begin`, each to its row_ends[j], where the next begins. The order of a row's additions is the
/// CPU's choice.
void multiply_rows(const double* values, const std::uint32_t* columns, const std::size_t* row_ends, std::size_t begin,
                   std::size_t rows, const double* x, double* result);

}  // namespace pinwise::npb::cg
