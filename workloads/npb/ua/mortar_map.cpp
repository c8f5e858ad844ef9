#include "workloads/npb/ua/mortar_map.hpp"

#include <algorithm>

#include "workloads/npb/ua/mortar_sums.hpp"
#include "workloads/npb/ua/neighbourhood.hpp"

namespace pinwise::npb::ua {

namespace {

/// Room in an index entry for the entity beside the element, until the points are numbered.
constexpr std::int32_t entity_room = 32;

bool looks_at_finer(const Octree& tree, const Node& node, std::size_t entity) {
    if (entity >= first_corner) return false;
    for (const auto& cell : sharing_cells[entity]) {
        const std::int32_t near = node.neighbour[cell.direction];
        if (near != none && !tree.node(near).is_leaf()) return true;
    }
    return false;
}

bool is_outside(const Node& node, std::size_t entity) {
    for (const auto& cell : sharing_cells[entity])
        if (node.neighbour[cell.direction] == none) return true;
    return false;
}

/// The first leaf that has the entity, and its name there.
struct Owner {
    std::int32_t leaf = none;
    std::size_t entity = 0;
};

Owner owner_of(const Octree& tree, const Node& node, std::size_t entity) {
    Owner owner{node.leaf, entity};
    for (const auto& cell : sharing_cells[entity]) {
        const bool at_corner = entity >= first_corner;
        const std::int32_t near = at_corner ? leaf_at_corner(tree, node, cell) : node.neighbour[cell.direction];
        if (near == none) continue;
        const Node& other = tree.node(near);
        const bool shares = other.level >= node.level || (at_corner && has_corner(other, node, entity));
        if (shares && other.leaf < owner.leaf) owner = {other.leaf, cell.entity};
    }
    return owner;
}

}  // namespace

bool MortarMap::rebuild(Worker& worker, const Octree& tree) {
    WorkerPlan& plan = plans_[worker.thread()];
    const std::size_t elements = tree.leaves();
    if (elements > capacity_.elements) return false;
    plan.blocks = worker.slice((elements + lanes - 1) / lanes);
    classify(tree, plan);
    std::uint64_t points = 0;
    std::uint64_t face_slaves = 0;
    std::uint64_t edge_slaves = 0;
    for (std::size_t e = plan.blocks.begin * lanes; e < std::min(plan.blocks.end * lanes, elements); ++e)
        for (std::size_t entity = 0; entity < boundary_entities; ++entity) {
            if ((arrays_.owned[e] >> entity & 1U) != 0) points += points_of(entity);
            if ((arrays_.slaves[e] >> entity & 1U) != 0) ++(entity < first_edge ? face_slaves : edge_slaves);
        }
    const auto shares = worker.prefix_sums<3>({points, face_slaves, edge_slaves}, {1, lanes, lanes});
    if (shares[0].total > capacity_.mortar_points) return false;
    worker.barrier([&] {
        size_ = {elements, (elements + lanes - 1) / lanes, shares[0].total, shares[1].total, shares[2].total};
        std::fill_n(arrays_.pool.begin() + static_cast<std::ptrdiff_t>(size_.pool_zeros()), face_points * lanes, 0.0);
    });
    plan.face_groups = {shares[1].before / lanes, (shares[1].before + face_slaves + lanes - 1) / lanes};
    plan.edge_groups = {shares[2].before / lanes, (shares[2].before + edge_slaves + lanes - 1) / lanes};
    number_own(plan, mortar_zeros + shares[0].before, shares[1].before, shares[2].before);
    worker.barrier();
    look_up_others(plan);
    set_constants(tree, plan);
    worker.barrier();
    const SumBuilder builder(tree, arrays_, size_);
    builder.build_sums(plan);
    builder.build_slave_groups(plan);
    worker.barrier();
    return true;
}

/// Slaves and owned entities of this thread's elements; the entities of others get their owner as index for now.
void MortarMap::classify(const Octree& tree, const WorkerPlan& plan) {
    for (std::size_t e = plan.blocks.begin * lanes; e < plan.blocks.end * lanes; ++e) {
        arrays_.slaves[e] = 0;
        arrays_.owned[e] = 0;
        if (e >= tree.leaves()) continue;
        const Node& node = tree.leaf(e);
        for (std::size_t entity = 0; entity < boundary_entities; ++entity) {
            const std::uint32_t bit = std::uint32_t{1} << entity;
            if (looks_at_finer(tree, node, entity)) {
                arrays_.slaves[e] |= bit;
                continue;
            }
            const Owner owner = owner_of(tree, node, entity);
            if (owner.leaf == node.leaf) arrays_.owned[e] |= bit;
            arrays_.index[e / lanes][entity][e % lanes] =
                owner.leaf * entity_room + static_cast<std::int32_t>(owner.entity);
        }
    }
}

void MortarMap::number_own(WorkerPlan& plan, std::uint64_t first_point, std::size_t first_face,
                           std::size_t first_edge_slave) {
    plan.points.assign(plan.blocks.size(), {});
    auto next = static_cast<std::uint32_t>(first_point);
    std::size_t face_slave = size_.first_face_slave() + first_face * face_points;
    std::size_t edge_slave = size_.first_edge_slave() + first_edge_slave * edge_points;
    for (std::size_t block = plan.blocks.begin; block < plan.blocks.end; ++block) {
        BlockPoints& points = plan.points[block - plan.blocks.begin];
        points.first = next;
        const auto number = [&](std::size_t begin, std::size_t end, std::uint32_t& count, std::size_t& slave) {
            for (std::size_t lane = 0; lane < lanes; ++lane)
                for (std::size_t entity = begin; entity < end; ++entity) {
                    const std::size_t e = block * lanes + lane;
                    std::int32_t& index = arrays_.index[block][entity][lane];
                    if ((arrays_.slaves[e] >> entity & 1U) != 0) {
                        index = static_cast<std::int32_t>(slave);
                        slave += points_of(entity);
                    } else if ((arrays_.owned[e] >> entity & 1U) != 0) {
                        index = static_cast<std::int32_t>(next);
                        next += static_cast<std::uint32_t>(points_of(entity));
                        ++count;
                    } else if (e >= size_.elements) {
                        index = 0;
                    }
                }
        };
        number(0, first_edge, points.faces, face_slave);
        number(first_edge, first_corner, points.edges, edge_slave);
        number(first_corner, boundary_entities, points.corners, edge_slave);
    }
}

void MortarMap::look_up_others(const WorkerPlan& plan) {
    for (std::size_t e = plan.blocks.begin * lanes; e < std::min(plan.blocks.end * lanes, size_.elements); ++e)
        for (std::size_t entity = 0; entity < boundary_entities; ++entity) {
            if (((arrays_.slaves[e] | arrays_.owned[e]) >> entity & 1U) != 0) continue;
            std::int32_t& index = arrays_.index[e / lanes][entity][e % lanes];
            const auto owner = static_cast<std::size_t>(index / entity_room);
            index = arrays_.index[owner / lanes][static_cast<std::size_t>(index % entity_room)][owner % lanes];
        }
}

void MortarMap::set_constants(const Octree& tree, const WorkerPlan& plan) {
    for (std::size_t block = plan.blocks.begin; block < plan.blocks.end; ++block) {
        BlockConstants& constants = arrays_.constants[block];
        constants = {};
        for (std::size_t lane = 0; lane < lanes && block * lanes + lane < size_.elements; ++lane) {
            const Node& node = tree.leaf(block * lanes + lane);
            const double half = node.size() / 2;
            constants.stiffness[lane] = physics_.viscosity * half;
            constants.mass_over_dt[lane] = half * half * half / physics_.dt;
            constants.convection[lane] = physics_.velocity / half;
            constants.size[lane] = node.size();
            for (std::size_t axis = 0; axis < 3; ++axis)
                constants.corner[axis][lane] = node.size() * node.cell[axis];
            for (std::size_t entity = 0; entity < boundary_entities; ++entity)
                if (is_outside(node, entity)) constants.outside[lane] |= std::uint32_t{1} << entity;
        }
    }
}

}  // namespace pinwise::npb::ua
