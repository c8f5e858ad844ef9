#pragma once
/// LU's two triangular sweeps over one thread's planes, cut into stages.
///
/// A point depends on its three lower (upper) neighbours. Lanes are neighbouring rows j, each one point behind the row
/// before it: at step s lane l is at point i = s − l. Then all that a vector needs from its own plane was made in the
/// step before, by the same lane (i) or the one next to it (j). What a point owes to its neighbours, the product of a
/// 5×5 block and its new value, is computed once, where the value is, and handed on: in registers along i and j,
/// through a buffer along k and from one block of rows to the next.

#include <cstddef>

#include "workloads/npb/cfd/grid.hpp"

namespace pinwise::npb::lu {

/// Over-relaxation.
inline constexpr double omega = 1.2;

/// Rows of a block, one a lane, on this CPU.
std::size_t block_rows();

/// How a plane is cut: blocks of rows, and of each block groups of as many steps.
struct PlaneCut {
    std::size_t rows = 0;    ///< of a block, and steps of a group
    std::size_t blocks = 0;  ///< the last one may be partly outside
    std::size_t groups = 0;  ///< of a block: its rows' points and one step more for each row but the first

    PlaneCut(const cfd::Grid& grid, std::size_t block_rows)
        : rows(block_rows),
          blocks((grid.interior() + rows - 1) / rows),
          groups((grid.interior() + 2 * rows - 2) / rows) {}

    [[nodiscard]] std::size_t steps() const { return groups * rows; }
    /// Doubles handed on along k by a plane: five vectors a step.
    [[nodiscard]] std::size_t handed_up_doubles() const { return blocks * steps() * cfd::components * rows; }
    /// Doubles handed on from one block of rows of a plane to the next: five a point, with room for steps beyond.
    [[nodiscard]] std::size_t edge_doubles() const { return cfd::components * (steps() + rows); }
    /// Doubles handed on from one stage to the next within a block of a plane.
    [[nodiscard]] std::size_t carried_doubles() const { return 2 * cfd::components * rows; }
};

/// What one thread sweeps over and with.
struct Sweep {
    const cfd::Grid& grid;
    PlaneCut cut;
    double dt = 0;
    double* u = nullptr;
    double* rhs = nullptr;
    cfd::Slab planes{};
    double* handed_up = nullptr;  ///< by the thread's last plane done: cut.handed_up_doubles()
    double* edges = nullptr;      ///< for each plane, cut.edge_doubles()
    double* carried = nullptr;    ///< for each plane, cut.carried_doubles()
};

/// A block of rows and some of its groups, of all of a thread's planes.
struct Stage {
    std::size_t block;
    std::size_t first_group;
    std::size_t end_group;
};

/// v ← D⁻¹·(dt·rhs − ω·Σ L·v of the lower neighbours), in rhs. Stages in ascending order. `received` is what the thread
/// with the planes below handed up; null where there is none.
void forward_stage(const Sweep& sweep, const Stage& stage, const double* received);

/// u ← u + (v − D⁻¹·ω·Σ U·v of the upper neighbours) / (ω(2 − ω)). Stages in descending order. The new v are not kept.
void backward_stage(const Sweep& sweep, const Stage& stage, const double* received);

}  // namespace pinwise::npb::lu
