#pragma once
/// What FT starts from: random numbers.

#include <cstddef>

#include "workloads/npb/ft/field.hpp"

namespace pinwise::npb::ft {

/// Writes the initial values of row (y, z): point number p = x + nx·(y + ny·z) is r_{2p+1} + i·r_{2p+2}.
void fill_row(const FieldShape& shape, std::size_t y, std::size_t z, double* row);

}  // namespace pinwise::npb::ft
