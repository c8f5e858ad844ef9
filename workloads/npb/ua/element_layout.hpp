#pragma once
/// How an element's 125 nodes are named and stored.
///
/// An element consists of its inside, 6 faces, 12 edges and 8 corners: 27 entities, each without those of lower
/// dimension. They are named by a direction from the element's middle, one of {−1, 0, 1}^3: a face has one component
/// that is not 0, an edge two, a corner three. The same names serve for the 26 cells around an element.
///
/// In memory the nodes of an entity are together: the 27 inner ones, then 9 a face, 3 an edge, one a corner ("slots").
/// Eight consecutive elements are a block; a field of a block is [slot][element of the block], so that vector code runs
/// over elements.

#include <array>
#include <cstddef>
#include <cstdint>

#include "workloads/npb/ua/reference_element.hpp"

namespace pinwise::npb::ua {

inline constexpr std::size_t lanes = 8;  ///< elements of a block
inline constexpr std::size_t block_values = element_nodes * lanes;
inline constexpr std::size_t inner_slots = 27;
inline constexpr std::size_t block_inner_values = inner_slots * lanes;

inline constexpr std::size_t directions = 27;
inline constexpr std::size_t no_direction = 13;
using Offset = std::array<int, 3>;

constexpr Offset offset_of(std::size_t direction) {
    return {static_cast<int>(direction % 3) - 1, static_cast<int>(direction / 3 % 3) - 1,
            static_cast<int>(direction / 9) - 1};
}

constexpr std::size_t direction_of(const Offset& offset) {
    const int direction = (offset[0] + 1) + 3 * (offset[1] + 1) + 9 * (offset[2] + 1);
    return static_cast<std::size_t>(direction);
}

/// Components that are not 0: 0 inside, 1 face, 2 edge, 3 corner.
constexpr int codimension(std::size_t direction) {
    const Offset offset = offset_of(direction);
    return (offset[0] != 0 ? 1 : 0) + (offset[1] != 0 ? 1 : 0) + (offset[2] != 0 ? 1 : 0);
}

/// The boundary entities in order: 6 faces, 12 edges, 8 corners.
inline constexpr std::size_t faces = 6;
inline constexpr std::size_t edges = 12;
inline constexpr std::size_t corners = 8;
inline constexpr std::size_t boundary_entities = faces + edges + corners;
inline constexpr std::size_t first_edge = faces;
inline constexpr std::size_t first_corner = faces + edges;
inline constexpr std::size_t face_points = 9;
inline constexpr std::size_t edge_points = 3;

/// Direction of a boundary entity.
inline constexpr std::array<std::size_t, boundary_entities> entity_direction = [] {
    std::array<std::size_t, boundary_entities> order{};
    std::size_t next = 0;
    for (int wanted = 1; wanted <= 3; ++wanted)
        for (std::size_t direction = 0; direction < directions; ++direction)
            if (codimension(direction) == wanted) order[next++] = direction;
    return order;
}();

/// Boundary entity of a direction (none for no_direction).
inline constexpr std::array<std::size_t, directions> entity_of_direction = [] {
    std::array<std::size_t, directions> entity{};
    for (std::size_t i = 0; i < boundary_entities; ++i)
        entity[entity_direction[i]] = i;
    return entity;
}();

constexpr std::size_t points_of(std::size_t entity) {
    if (entity < first_edge) return face_points;
    return entity < first_corner ? edge_points : 1;
}

/// First slot of a boundary entity.
constexpr std::size_t slot_of(std::size_t entity) {
    if (entity < first_edge) return inner_slots + face_points * entity;
    if (entity < first_corner) return inner_slots + face_points * faces + edge_points * (entity - first_edge);
    return inner_slots + face_points * faces + edge_points * edges + (entity - first_corner);
}

/// Node i + 5j + 25k of a slot. Within an entity the lower axis runs fastest.
inline constexpr std::array<std::uint8_t, element_nodes> node_of_slot = [] {
    std::array<std::uint8_t, element_nodes> nodes{};
    constexpr std::array<std::size_t, 3> strides{1, 5, 25};
    const auto fill = [&](std::size_t direction, std::size_t slot) {
        const Offset offset = offset_of(direction);
        const auto count = [&](std::size_t axis) { return offset[axis] == 0 ? std::size_t{3} : std::size_t{1}; };
        const auto place = [&](std::size_t axis, std::size_t i) {
            if (offset[axis] == 0) return strides[axis] * (i + 1);
            return offset[axis] < 0 ? std::size_t{0} : strides[axis] * 4;
        };
        for (std::size_t k = 0; k < count(2); ++k)
            for (std::size_t j = 0; j < count(1); ++j)
                for (std::size_t i = 0; i < count(0); ++i)
                    nodes[slot++] = static_cast<std::uint8_t>(place(0, i) + place(1, j) + place(2, k));
    };
    fill(no_direction, 0);
    for (std::size_t entity = 0; entity < boundary_entities; ++entity)
        fill(entity_direction[entity], slot_of(entity));
    return nodes;
}();

inline constexpr std::array<std::uint8_t, element_nodes> slot_of_node = [] {
    std::array<std::uint8_t, element_nodes> slots{};
    for (std::size_t slot = 0; slot < element_nodes; ++slot)
        slots[node_of_slot[slot]] = static_cast<std::uint8_t>(slot);
    return slots;
}();

/// Where the value of (element, slot) is in a field.
constexpr std::size_t value_index(std::size_t element, std::size_t slot) {
    return (element / lanes * element_nodes + slot) * lanes + element % lanes;
}

/// The four fine faces that a coarse face looks at, as a grid: along each axis a line has five parts, the points 0, 2
/// and 4 and between them the segments 1 and 3 with three inner points each. Part a of the lower axis and part b of the
/// higher are entity a + 5b of the patch, whose points are together in memory.
inline constexpr std::size_t line_parts = 5;
inline constexpr std::size_t patch_parts = line_parts * line_parts;
inline constexpr std::size_t patch_points = split_line_nodes * split_line_nodes;

constexpr std::size_t part_points(std::size_t part) {
    return part % 2 == 0 ? 1 : edge_points;
}

/// First of the nine positions along the line that a part has.
constexpr std::size_t part_position(std::size_t part) {
    return part / 2 * 4 + part % 2;
}

/// First place of a part of a face patch.
inline constexpr std::array<std::size_t, patch_parts> patch_place = [] {
    std::array<std::size_t, patch_parts> places{};
    std::size_t next = 0;
    for (std::size_t i = 0; i < patch_parts; ++i) {
        places[i] = next;
        next += part_points(i % line_parts) * part_points(i / line_parts);
    }
    return places;
}();

/// Place of the grid position p + 9q of a face patch.
inline constexpr std::array<std::uint8_t, patch_points> place_of_position = [] {
    std::array<std::uint8_t, patch_points> places{};
    for (std::size_t part = 0; part < patch_parts; ++part) {
        const std::size_t a = part % line_parts;
        const std::size_t b = part / line_parts;
        for (std::size_t j = 0; j < part_points(b); ++j)
            for (std::size_t i = 0; i < part_points(a); ++i)
                places[part_position(a) + i + split_line_nodes * (part_position(b) + j)] =
                    static_cast<std::uint8_t>(patch_place[part] + i + part_points(a) * j);
    }
    return places;
}();

}  // namespace pinwise::npb::ua
