#pragma once
/// Carries the temperature from one mesh to the next.

#include <array>
#include <span>

#include "workloads/common/partition.hpp"
#include "workloads/npb/ua/octree.hpp"

namespace pinwise::npb::ua {

/// Values at the nodes i + 5j + 25k of one element.
using ElementValues = std::array<double, element_nodes>;

/// The polynomial of an element at the nodes of its child `octant`.
ElementValues child_values(const ElementValues& parent, std::size_t octant);

/// An element's values from those of its eight children: at its nodes 1, 3 and 5 of a line the children's own, at 2 and
/// 4 the polynomial of the child that they lie in. Where two children meet, the lower one counts.
ElementValues parent_values(const std::array<ElementValues, children>& family);

/// Fills the given blocks of `to`, a field over `after`, from `from`, a field over `before`, of which `after` was made.
void transfer(const Octree& before, const Octree& after, workloads::Slice blocks, std::span<const double> from,
              std::span<double> to);

}  // namespace pinwise::npb::ua
