#pragma once
/// Alternating-direction implicit (ADI) time steps, which BT and SP share: U += X, where the factors of the implicit
/// operator along x, y and z are solved one after the other, each for lines that do not depend on one another.

#include <cstddef>

#include "workloads/npb/cfd/grid.hpp"
#include "workloads/npb/cfd/model.hpp"

namespace pinwise::npb::cfd {

/// What the line solvers of one thread work on.
struct AdiCall {
    const Grid& grid;
    double dt;
    double* u;            ///< states; those of the lines' own points are read, and written along z
    double* rhs;          ///< right-hand sides, replaced by the solutions; 0 on the boundary
    double* line_memory;  ///< this thread's, batch_doubles() and then what the method asks for
};

/// Doubles of an x-batch in the working area: states and right-hand sides, for the widest vectors.
constexpr std::size_t batch_doubles(const Grid& grid) {
    return 2 * components * line_doubles * grid.padded_interior();
}

/// The two things that make BT and SP.
struct AdiMethod {
    /// rhs = dt · (R(u) − forcing) in the variables in which the x-factor is solved.
    void (*right_hand_side)(const Grid& grid, Slab planes, const double* u, const double* forcing, double dt,
                            double* rhs, double* memory);
    /// Solves all lines along x, then all along y, of the planes.
    void (*solve_planes)(const AdiCall& call, Slab planes);
    /// Solves all lines along z of the rows j and adds the solutions to the states.
    void (*solve_columns)(const AdiCall& call, Slab rows);
    /// Doubles of line_memory.
    std::size_t (*line_doubles)(const Grid& grid);
};

}  // namespace pinwise::npb::cfd
