#pragma once
/// Filling fields with the states the codes begin from, and the norms they are judged by. One thread's planes a call.

#include <span>

#include "workloads/npb/cfd/grid.hpp"
#include "workloads/npb/cfd/model.hpp"

namespace pinwise::npb::cfd {

/// A thread's interior planes and, for the first and the last thread that has any, the boundary plane beside them:
/// every plane of the grid belongs to exactly one thread.
Slab with_boundary_planes(const Grid& grid, Slab slab);

/// Zero in every place of the planes, padding included.
void fill_zero(const Grid& grid, Slab planes, std::span<double> field);

/// The exact solution at every point of the planes; padding repeats the nearest point of its row.
void fill_exact(const Grid& grid, Slab planes, std::span<double> u);

/// Where the time steps begin: the exact solution on the boundary, the blended state inside; padding as above.
void fill_initial(const Grid& grid, Slab planes, std::span<double> u);

/// Σ x² over the interior points of the slab, by component.
State sum_of_squares(const Grid& grid, Slab slab, std::span<const double> x);

/// Σ (u − exact)² over the interior points of the slab, by component.
State sum_of_squared_errors(const Grid& grid, Slab slab, std::span<const double> u);

/// sqrt(Σ / (n − 2)³): the root mean square over the interior that verification compares.
State root_mean_square(const Grid& grid, const State& sum);

}  // namespace pinwise::npb::cfd
