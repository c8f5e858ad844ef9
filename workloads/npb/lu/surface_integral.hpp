#pragma once
/// The integral of the pressure over faces of an inner box, one of the values LU is verified by.

#include "workloads/npb/cfd/workspace.hpp"

namespace pinwise::npb::lu {

/// Trapezoidal sums over the two faces in each direction of the box of points i ∈ [1, n − 2], j ∈ [1, n − 3],
/// k ∈ [2, n − 2], a quarter of their total. NPB defines it so: the box is not symmetric.
double surface_integral(const cfd::Grid& grid, std::span<const double> u);

}  // namespace pinwise::npb::lu
