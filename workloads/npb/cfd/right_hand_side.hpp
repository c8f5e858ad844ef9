#pragma once
/// The spatial operator R(U): central differences of the convective fluxes, viscous terms, second-order diffusion and
/// fourth-order dissipation, in all three directions in one pass over memory.

#include <cstddef>
#include <string>

#include "workloads/npb/cfd/grid.hpp"
#include "workloads/npb/cfd/model.hpp"

namespace pinwise::npb::cfd {

/// Doubles one thread needs for R(U), on a cache line: primitive variables of three neighbouring planes of a tile. Half
/// of a usual L2 cache together with the states they come from.
std::size_t right_hand_side_doubles();

/// out = scale · (R(u) − forcing) at the interior points of the planes, 0 at the ends of their rows. Reads u up to two
/// planes beyond them.
void residual(const Grid& grid, Slab planes, const double* u, const double* forcing, double scale, double* out,
              double* memory);

/// The same with scale = dt, then multiplied at each point by the inverse of the x-direction's eigenvector matrix:
/// where SP's diagonal scheme begins.
void characteristic_residual(const Grid& grid, Slab planes, const double* u, const double* forcing, double dt,
                             double* out, double* memory);

/// Name of the instruction set that the CFD kernels use on this CPU, as Highway calls it.
std::string vector_target();

}  // namespace pinwise::npb::cfd
