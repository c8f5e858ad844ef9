#include "workloads/npb/ua/mortar_sums.hpp"

#include <algorithm>

namespace pinwise::npb::ua {

namespace {

std::uint32_t place_of(std::size_t element, std::size_t entity) {
    return static_cast<std::uint32_t>(value_index(element, slot_of(entity)));
}

std::uint32_t element_of(const Node& node) {
    return static_cast<std::uint32_t>(node.leaf);
}

/// The axes at which an entity is fixed.
std::array<bool, 3> fixed_axes(std::size_t entity) {
    const Offset offset = offset_of(entity_direction[entity]);
    return {offset[0] != 0, offset[1] != 0, offset[2] != 0};
}

/// The parts along the free axes of a face, as part of its patch.
std::size_t face_part(std::size_t axis, const Parts& parts) {
    const std::size_t first = axis == 0 ? 1 : 0;
    const std::size_t second = axis == 2 ? 1 : 2;
    return parts[first] + line_parts * parts[second];
}

/// A group in which nothing is projected: zeros become zeros.
template <std::size_t parts>
void clear(SlaveGroup<parts>& group, std::size_t pool_zeros) {
    for (auto& part : group.source)
        part.fill(0);
    group.values.fill(static_cast<std::uint32_t>(pool_zeros));
    group.element.fill(none);
    group.slave_faces_beside.fill(0);
}

}  // namespace

void SumBuilder::build_sums(WorkerPlan& plan) const {
    plan.face_sums.clear();
    plan.edge_sums.clear();
    plan.corner_sums.clear();
    plan.corner_mean_counts.clear();
    plan.corner_means.clear();
    const auto each_owned = [&](std::size_t block, std::size_t begin, std::size_t end, auto add) {
        for (std::size_t e = block * lanes; e < std::min((block + 1) * lanes, size_.elements); ++e)
            for (std::size_t entity = begin; entity < end; ++entity)
                if ((arrays_.owned[e] >> entity & 1U) != 0) (this->*add)(plan, tree_.leaf(e), entity);
    };
    for (std::size_t block = plan.blocks.begin; block < plan.blocks.end; ++block) {
        each_owned(block, 0, first_edge, &SumBuilder::add_face);
        each_owned(block, first_edge, first_corner, &SumBuilder::add_edge);
        each_owned(block, first_corner, boundary_entities, &SumBuilder::add_corner);
    }
}

bool SumBuilder::is_slave(std::size_t element, std::size_t entity) const {
    return (arrays_.slaves[element] >> entity & 1U) != 0;
}

std::int32_t SumBuilder::index_of(std::size_t element, std::size_t entity) const {
    return arrays_.index[element / lanes][entity][element % lanes];
}

/// The patches of a leaf's slaves that have a point at `parts`.
void SumBuilder::add_patches(const Node& leaf, const Parts& parts, Places& places) const {
    const std::size_t element = element_of(leaf);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!is_end(parts[axis])) continue;
        const std::size_t face = entity_at(parts, {axis == 0, axis == 1, axis == 2});
        if (!is_slave(element, face)) continue;
        const auto value = static_cast<std::size_t>(index_of(element, face)) - size_.first_face_slave();
        const std::size_t slot = value / face_points;
        places.add(static_cast<std::uint32_t>(
            size_.face_patches() + (slot / lanes * patch_points + patch_place[face_part(axis, parts)]) * lanes +
            slot % lanes));
    }
    for (std::size_t free = 0; free < 3; ++free) {
        if (!is_end(parts[(free + 1) % 3]) || !is_end(parts[(free + 2) % 3])) continue;
        const std::size_t edge = entity_at(parts, {free != 0, free != 1, free != 2});
        if (!is_slave(element, edge)) continue;
        const auto value = static_cast<std::size_t>(index_of(element, edge)) - size_.first_edge_slave();
        const std::size_t slot = value / edge_points;
        places.add(static_cast<std::uint32_t>(size_.edge_patches() +
                                              (slot / lanes * split_line_nodes + part_position(parts[free])) * lanes +
                                              slot % lanes));
    }
}

void SumBuilder::add_face(WorkerPlan& plan, const Node& node, std::size_t entity) const {
    const SharingCell cell = sharing_cells[entity].cells[0];
    const std::int32_t near = node.neighbour[cell.direction];
    auto other = static_cast<std::uint32_t>(size_.pool_zeros());
    if (near != none) {
        const Node& leaf = tree_.node(near);
        if (leaf.level == node.level) {
            other = place_of(element_of(leaf), cell.entity);
        } else {
            Places places;
            add_patches(leaf, parts_in_coarser(leaf, node, entity), places);
            other = places.places[0];
        }
    }
    plan.face_sums.push_back({place_of(element_of(node), entity), other});
}

void SumBuilder::add_edge(WorkerPlan& plan, const Node& node, std::size_t entity) const {
    Places places;
    places.add(place_of(element_of(node), entity));
    for (const auto& cell : sharing_cells[entity]) {
        const std::int32_t near = node.neighbour[cell.direction];
        if (near != none && tree_.node(near).level == node.level)
            places.add(place_of(element_of(tree_.node(near)), cell.entity));
    }
    places.elements = places.count;
    std::int32_t last = none;  // a coarser leaf may fill two of the cells: its first and third, or one after the other
    std::int32_t last_but_one = none;
    for (const auto& cell : sharing_cells[entity]) {
        const std::int32_t near = node.neighbour[cell.direction];
        if (near == none || tree_.node(near).level == node.level || near == last || near == last_but_one) continue;
        last_but_one = last;
        last = near;
        add_patches(tree_.node(near), parts_in_coarser(tree_.node(near), node, entity), places);
    }
    plan.edge_sums.push_back(places.elements);
    plan.edge_sums.push_back(places.count);
    plan.edge_sums.insert(plan.edge_sums.end(), places.places.begin(), places.places.begin() + places.count);
}

/// The part of a corner's faces that do not look at finer elements.
double SumBuilder::corner_weight(std::size_t element, std::size_t corner) const {
    const Offset offset = offset_of(entity_direction[corner]);
    int slave_faces = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Offset face{};
        face[axis] = offset[axis];
        if (is_slave(element, entity_of_direction[direction_of(face)])) ++slave_faces;
    }
    return (3 - slave_faces) / 3.0;
}

void SumBuilder::add_corner(WorkerPlan& plan, const Node& node, std::size_t entity) const {
    Places places;
    std::array<std::int32_t, children> leaves{};
    std::array<WeightedCorner, children> means{};
    std::size_t known = 0;
    std::uint32_t mean_count = 0;
    double all_weights = 0;
    const auto add = [&](std::int32_t index, std::size_t entity_there) {
        if (std::find(leaves.begin(), leaves.begin() + known, index) != leaves.begin() + known) return;
        leaves[known++] = index;
        const Node& leaf = tree_.node(index);
        Parts parts{};
        if (leaf.level >= node.level) {
            const Offset offset = offset_of(entity_direction[entity_there]);
            for (std::size_t axis = 0; axis < 3; ++axis)
                parts[axis] = offset[axis] < 0 ? 0 : line_parts - 1;
        } else {
            parts = parts_in_coarser(leaf, node, entity);
        }
        if (is_end(parts[0]) && is_end(parts[1]) && is_end(parts[2])) {
            const std::uint32_t place = place_of(element_of(leaf), entity_there);
            const double weight = corner_weight(element_of(leaf), entity_there);
            places.add(place);
            if (weight > 0) means[mean_count++] = {place, weight};
            all_weights += weight;
        }
        add_patches(leaf, parts, places);
    };
    add(tree_.node_of_leaf(element_of(node)), entity);
    for (const auto& cell : sharing_cells[entity])
        if (const std::int32_t near = leaf_at_corner(tree_, node, cell); near != none) add(near, cell.entity);
    plan.corner_sums.push_back(places.count);
    plan.corner_sums.insert(plan.corner_sums.end(), places.places.begin(), places.places.begin() + places.count);
    plan.corner_mean_counts.push_back(mean_count);
    for (std::uint32_t i = 0; i < mean_count; ++i)
        plan.corner_means.push_back({means[i].from, means[i].weight / all_weights});
}

void SumBuilder::build_slave_groups(const WorkerPlan& plan) const {
    for (std::size_t group = plan.face_groups.begin; group < plan.face_groups.end; ++group)
        clear(arrays_.face_groups[group], size_.pool_zeros());
    for (std::size_t group = plan.edge_groups.begin; group < plan.edge_groups.end; ++group)
        clear(arrays_.edge_groups[group], size_.pool_zeros());
    std::size_t face_slot = plan.face_groups.begin * lanes;
    std::size_t edge_slot = plan.edge_groups.begin * lanes;
    for (std::size_t e = plan.blocks.begin * lanes; e < std::min(plan.blocks.end * lanes, size_.elements); ++e)
        for (std::size_t entity = 0; entity < first_corner; ++entity) {
            if (!is_slave(e, entity)) continue;
            if (entity < first_edge) {
                add_face_slave(face_slot++, tree_.leaf(e), entity);
            } else {
                add_edge_slave(edge_slot++, tree_.leaf(e), entity);
            }
        }
}

/// The first mortar point of a part of the patch that a slave looks at: an entity of one of the finer leaves there.
std::int32_t SumBuilder::point_of_patch(const Node& node, std::size_t entity, const Parts& parts) const {
    const auto fixed = fixed_axes(entity);
    for (const auto& cell : sharing_cells[entity]) {
        const std::int32_t near = node.neighbour[cell.direction];
        if (near == none || tree_.node(near).is_leaf()) continue;
        const Offset seen = offset_of(entity_direction[cell.entity]);
        Offset of_child{};
        std::int32_t child = child_at(seen);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (fixed[axis]) {
                of_child[axis] = seen[axis];
                continue;
            }
            const bool upper = parts[axis] > 2;
            child |= upper ? 1 << axis : 0;
            of_child[axis] = static_cast<int>(parts[axis]) - (upper ? 3 : 1);
        }
        const Node& leaf = tree_.node(tree_.node(near).first_child + child);
        return index_of(element_of(leaf), entity_of_direction[direction_of(of_child)]);
    }
    return 0;
}

void SumBuilder::add_face_slave(std::size_t slot, const Node& node, std::size_t entity) const {
    FaceGroup& group = arrays_.face_groups[slot / lanes];
    const std::size_t lane = slot % lanes;
    const auto fixed = fixed_axes(entity);
    const std::size_t first = fixed[0] ? 1 : 0;
    const std::size_t second = fixed[2] ? 1 : 2;
    for (std::size_t part = 0; part < patch_parts; ++part) {
        Parts parts{};
        parts[first] = part % line_parts;
        parts[second] = part / line_parts;
        group.source[part][lane] = point_of_patch(node, entity, parts);
    }
    group.values[lane] = place_of(element_of(node), entity);
    group.element[lane] = node.leaf;
}

void SumBuilder::add_edge_slave(std::size_t slot, const Node& node, std::size_t entity) const {
    EdgeGroup& group = arrays_.edge_groups[slot / lanes];
    const std::size_t lane = slot % lanes;
    const auto fixed = fixed_axes(entity);
    const std::size_t free = !fixed[0] ? 0 : (!fixed[1] ? 1 : 2);
    for (std::size_t part = 0; part < line_parts; ++part) {
        Parts parts{};
        parts[free] = part;
        group.source[part][lane] = point_of_patch(node, entity, parts);
    }
    group.values[lane] = place_of(element_of(node), entity);
    group.element[lane] = node.leaf;
    const Offset offset = offset_of(entity_direction[entity]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!fixed[axis]) continue;
        Offset face{};
        face[axis] = offset[axis];
        if (is_slave(element_of(node), entity_of_direction[direction_of(face)])) ++group.slave_faces_beside[lane];
    }
}

}  // namespace pinwise::npb::ua
