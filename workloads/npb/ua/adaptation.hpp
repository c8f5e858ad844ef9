#pragma once
/// Which leaves to divide and which families to merge, so that the mesh follows the heat source.

#include <array>
#include <span>

#include "workloads/npb/ua/octree.hpp"
#include "workloads/npb/ua/worker.hpp"

namespace pinwise::npb::ua {

/// The ball of heat.
struct Source {
    std::array<double, 3> centre{};
    double radius = 0;
};

/// Whether the node's cube comes closer to the centre than the radius.
bool touches(const Source& source, const Node& node);

/// Marks leaves to divide: those that touch the source and are coarser than `finest`, and, so that leaves sharing a
/// face or an edge never differ by two levels, the coarser neighbours of every marked one. Called by all workers; the
/// number of marked leaves, 0 when the mesh is fine enough.
std::uint64_t mark_refinement(Worker& worker, const Octree& tree, const Source& source, int finest,
                              std::span<Mark> marks);

/// Marks the parents of families to merge: eight leaves of which none touches the source and none has a finer neighbour
/// across a face or an edge. Called by all workers; the number of marked parents.
std::uint64_t mark_coarsening(Worker& worker, const Octree& tree, const Source& source, std::span<Mark> marks);

}  // namespace pinwise::npb::ua
