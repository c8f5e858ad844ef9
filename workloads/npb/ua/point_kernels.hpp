#pragma once
/// The work on mortar points, one thread's plan at a time. A thread writes the points, slaves and blocks of its own
/// plan only.

#include <span>

#include "workloads/npb/ua/mortar_map.hpp"

namespace pinwise::npb::ua {

/// The plan's slaves in `vector` become projections of the points around them.
void project_slaves(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size, std::span<double> vector);

/// The transpose: what elements have left in the pool for the plan's slaves becomes what the slaves' patches give.
void spread_slaves(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size);

/// The mortar's first guess: the mean of T over the elements' nodes that are the same point.
void guess_mortar(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size);

/// r = what the pool gives to each point, p = M⁻¹r, and the blocks' parts of (r, M⁻¹r), inner nodes included.
void start_residual(const Arrays& arrays, const WorkerPlan& plan);

/// r −= α·(what the pool gives), likewise for inner nodes, and the blocks' parts of (r, M⁻¹r).
void reduce_residual(const Arrays& arrays, const WorkerPlan& plan, double alpha);

/// The solution goes α along the direction, and the next direction is p = M⁻¹r + β·p.
void next_direction(const Arrays& arrays, const WorkerPlan& plan, double alpha, double beta);

/// The solution goes α along the last direction.
void finish_mortar(const Arrays& arrays, const WorkerPlan& plan, double alpha);

/// 1 over what the pool gives, 0 for points on the surface of the cube.
void invert_diagonal(const Arrays& arrays, const WorkerPlan& plan);

}  // namespace pinwise::npb::ua
