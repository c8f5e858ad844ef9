#include "workloads/npb/ua/transfer.hpp"

namespace pinwise::npb::ua {

namespace {

/// Multiplies every line along the axis of `stride` by the matrix.
ElementValues along_axis(const Matrix5& matrix, std::size_t stride, const ElementValues& values) {
    ElementValues result{};
    for (std::size_t node = 0; node < element_nodes; ++node) {
        const std::size_t i = node / stride % line_nodes;
        const std::size_t start = node - i * stride;
        for (std::size_t m = 0; m < line_nodes; ++m)
            result[node] += matrix[i][m] * values[start + m * stride];
    }
    return result;
}

/// A parent's node on a line: in which half it is taken, and from which of the child's nodes.
struct ParentNode {
    std::size_t half = 0;
    std::size_t first = 0;
    std::size_t count = 1;
    Line weights{1, 0, 0, 0, 0};
};

constexpr std::array<ParentNode, line_nodes> parent_nodes = [] {
    Line mirrored{};
    for (std::size_t m = 0; m < line_nodes; ++m)
        mirrored[m] = parent_node_from_child[line_nodes - 1 - m];
    return std::array<ParentNode, line_nodes>{{{0, 0, 1, {1, 0, 0, 0, 0}},
                                               {0, 0, 5, parent_node_from_child},
                                               {0, 4, 1, {1, 0, 0, 0, 0}},
                                               {1, 0, 5, mirrored},
                                               {1, 4, 1, {1, 0, 0, 0, 0}}}};
}();

ElementValues load(std::span<const double> field, std::int32_t element) {
    ElementValues values{};
    for (std::size_t slot = 0; slot < element_nodes; ++slot)
        values[node_of_slot[slot]] = field[value_index(static_cast<std::size_t>(element), slot)];
    return values;
}

void store(const ElementValues& values, std::span<double> field, std::size_t element) {
    for (std::size_t slot = 0; slot < element_nodes; ++slot)
        field[value_index(element, slot)] = values[node_of_slot[slot]];
}

void copy(std::span<const double> from, std::int32_t old_element, std::span<double> to, std::size_t element) {
    const std::size_t old_start = value_index(static_cast<std::size_t>(old_element), 0);
    const std::size_t start = value_index(element, 0);
    for (std::size_t slot = 0; slot < element_nodes; ++slot)
        to[start + slot * lanes] = from[old_start + slot * lanes];
}

void transfer_element(const Octree& before, const Octree& after, std::size_t element, std::span<const double> from,
                      std::span<double> to) {
    const std::int32_t index = after.node_of_leaf(element);
    const Node& node = after.node(index);
    if (node.origin == none) {
        const Node& parent = after.node(node.parent);
        const auto octant = static_cast<std::size_t>(index - parent.first_child);
        store(child_values(load(from, before.node(parent.origin).leaf), octant), to, element);
        return;
    }
    const Node& old = before.node(node.origin);
    if (old.is_leaf()) {
        copy(from, old.leaf, to, element);
        return;
    }
    std::array<ElementValues, children> family{};
    for (std::size_t octant = 0; octant < children; ++octant)
        family[octant] = load(from, before.node(old.first_child + static_cast<std::int32_t>(octant)).leaf);
    store(parent_values(family), to, element);
}

}  // namespace

ElementValues child_values(const ElementValues& parent, std::size_t octant) {
    const ElementValues x = along_axis(child_interpolation[octant & 1U], 1, parent);
    const ElementValues xy = along_axis(child_interpolation[octant >> 1U & 1U], 5, x);
    return along_axis(child_interpolation[octant >> 2U], 25, xy);
}

ElementValues parent_values(const std::array<ElementValues, children>& family) {
    ElementValues parent{};
    for (std::size_t node = 0; node < element_nodes; ++node) {
        const ParentNode& x = parent_nodes[node % 5];
        const ParentNode& y = parent_nodes[node / 5 % 5];
        const ParentNode& z = parent_nodes[node / 25];
        const ElementValues& child = family[x.half + 2 * y.half + 4 * z.half];
        for (std::size_t c = 0; c < z.count; ++c)
            for (std::size_t b = 0; b < y.count; ++b)
                for (std::size_t a = 0; a < x.count; ++a)
                    parent[node] += x.weights[a] * y.weights[b] * z.weights[c] *
                                    child[x.first + a + 5 * (y.first + b) + 25 * (z.first + c)];
    }
    return parent;
}

void transfer(const Octree& before, const Octree& after, workloads::Slice blocks, std::span<const double> from,
              std::span<double> to) {
    for (std::size_t block = blocks.begin; block < blocks.end; ++block)
        for (std::size_t element = block * lanes; element < (block + 1) * lanes; ++element) {
            if (element < after.leaves()) {
                transfer_element(before, after, element, from, to);
            } else {
                store({}, to, element);
            }
        }
}

}  // namespace pinwise::npb::ua
