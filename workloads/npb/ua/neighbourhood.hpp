#pragma once
/// What lies around an element's entity: the cells that share it, and under which name each of them has it.

#include <array>
#include <cstddef>
#include <cstdint>

#include "workloads/npb/ua/octree.hpp"

namespace pinwise::npb::ua {

/// One of the cells around an entity, seen from the element: in this direction, where the entity has another name.
struct SharingCell {
    std::uint8_t direction = 0;
    std::uint8_t entity = 0;  ///< the entity as this cell calls it
};

/// The other cells around an entity: 1 at a face, 3 at an edge, 7 at a corner.
struct SharingCells {
    std::array<SharingCell, 7> cells{};
    std::size_t count = 0;

    [[nodiscard]] constexpr const SharingCell* begin() const { return cells.data(); }
    [[nodiscard]] constexpr const SharingCell* end() const { return cells.data() + count; }
};

/// By boundary entity. Stepping across the entity along some of its fixed axes turns it round in those.
inline constexpr std::array<SharingCells, boundary_entities> sharing_cells = [] {
    std::array<SharingCells, boundary_entities> table{};
    for (std::size_t entity = 0; entity < boundary_entities; ++entity) {
        const Offset offset = offset_of(entity_direction[entity]);
        for (unsigned axes = 1; axes < 8; ++axes) {
            Offset step{};
            Offset seen = offset;
            bool possible = true;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                if ((axes >> axis & 1U) == 0) continue;
                possible = possible && offset[axis] != 0;
                step[axis] = offset[axis];
                seen[axis] = -offset[axis];
            }
            if (!possible) continue;
            auto& cells = table[entity];
            cells.cells[cells.count++] = {static_cast<std::uint8_t>(direction_of(step)),
                                          static_cast<std::uint8_t>(entity_of_direction[direction_of(seen)])};
        }
    }
    return table;
}();

/// The child of a cell that lies at the cell's corner in direction `offset`; free axes take the lower one.
constexpr std::int32_t child_at(const Offset& offset) {
    std::int32_t child = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (offset[axis] > 0) child |= 1 << axis;
    return child;
}

/// The leaf that fills the place around a corner which `cell` says; none outside the cube.
inline std::int32_t leaf_at_corner(const Octree& tree, const Node& node, const SharingCell& cell) {
    std::int32_t near = node.neighbour[cell.direction];
    if (near == none) return none;
    const std::int32_t child = child_at(offset_of(entity_direction[cell.entity]));
    while (!tree.node(near).is_leaf())
        near = tree.node(near).first_child + child;
    return near;
}

/// A place in a leaf that all its axes know: along each axis one of the five parts into which its halves divide it.
using Parts = std::array<std::size_t, 3>;

constexpr bool is_end(std::size_t part) {
    return part == 0 || part == line_parts - 1;
}

/// The parts of a coarser leaf `leaf` at which the entity of `node` lies. Along the entity's free axes the leaf must be
/// one level coarser; a corner may be that of a leaf of any level.
inline Parts parts_in_coarser(const Node& leaf, const Node& node, std::size_t entity) {
    const Offset offset = offset_of(entity_direction[entity]);
    const int finer_by = node.level - leaf.level;
    Parts parts{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (offset[axis] == 0) {
            parts[axis] = 1 + 2 * static_cast<std::size_t>(node.cell[axis] & 1);
            continue;
        }
        const std::int32_t point = node.cell[axis] + (offset[axis] > 0 ? 1 : 0) - (leaf.cell[axis] << finer_by);
        parts[axis] = static_cast<std::size_t>((4 * point) >> finer_by);
    }
    return parts;
}

/// Whether the corner of `node` is a corner of the coarser `leaf` too.
inline bool has_corner(const Node& leaf, const Node& node, std::size_t corner) {
    const Parts parts = parts_in_coarser(leaf, node, corner);
    return is_end(parts[0]) && is_end(parts[1]) && is_end(parts[2]);
}

/// The boundary entity of an element at ends along the axes where `at_end` says so.
constexpr std::size_t entity_at(const Parts& parts, const std::array<bool, 3>& at_end) {
    Offset offset{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (at_end[axis]) offset[axis] = parts[axis] == 0 ? -1 : 1;
    return entity_of_direction[direction_of(offset)];
}

}  // namespace pinwise::npb::ua
