#pragma once
/// The work on elements, a range of blocks at a time, in vectors over the elements of a block chosen at run time for
/// this CPU. None of these functions writes outside its blocks.

#include <array>
#include <string>

#include "workloads/common/partition.hpp"
#include "workloads/npb/ua/adaptation.hpp"
#include "workloads/npb/ua/storage.hpp"

namespace pinwise::npb::ua {

/// A time step and the source at its beginning, middle and end.
struct ConvectionStep {
    double dt = 0;
    std::array<Source, 3> sources;
};

/// Convects and heats for one step by the classical Runge-Kutta method: T becomes T + dt·s. Nodes on the surface of the
/// cube keep their values.
void convect(const Arrays& arrays, workloads::Slice blocks, const ConvectionStep& step);

/// With T* the convected field, B its mass and u = T* except that boundary nodes are read from `mortar`: leaves
/// B·T*/dt − H u in the pool and its inner part in the inner residual too.
void find_residual(const Arrays& arrays, workloads::Slice blocks);

/// One direction of conjugate gradients p = M⁻¹r + β·p, inner nodes here and boundary nodes read from `direction`:
/// leaves H p in the pool and the blocks' parts of (p, H p) in block_sums. Before, the inner nodes of T go α_before
/// along the old direction.
void apply_to_direction(const Arrays& arrays, workloads::Slice blocks, double beta, double alpha_before);

/// The inner nodes of T go α along the last direction, the boundary nodes are read from `mortar`.
void finish_temperature(const Arrays& arrays, workloads::Slice blocks, double alpha);

/// Name of the instruction set in use, as Highway calls it.
std::string vector_target();

}  // namespace pinwise::npb::ua
