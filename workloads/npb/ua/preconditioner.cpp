#include "workloads/npb/ua/preconditioner.hpp"

#include <limits>

namespace pinwise::npb::ua {

namespace {

constexpr std::array<std::size_t, 3> strides{1, 5, 25};
using Pattern = std::array<double, element_nodes>;

Energy energy_of(const Pattern& v) {
    Energy energy;
    for (std::size_t node = 0; node < element_nodes; ++node) {
        if (v[node] == 0) continue;
        energy.mass += node_weights[node] * v[node] * v[node];
        for (const std::size_t stride : strides) {
            const std::size_t i = node / stride % line_nodes;
            double sum = 0;
            for (std::size_t m = 0; m < line_nodes; ++m)
                sum += weak_second_derivative[i][m] * v[node - i * stride + m * stride];
            energy.stiffness += node_weights[node] * v[node] * sum;
        }
    }
    return energy;
}

/// What position p along a patch gives the inner node i (1 to 3) of its line.
double projected(std::size_t i, std::size_t p) {
    return mortar_projection[i - 1][p];
}

/// Positions p and q along axes a and b, seen in the face where the third axis is at its lower end.
void add_face(Pattern& v, std::size_t a, std::size_t p, std::size_t b, std::size_t q) {
    for (std::size_t j = 1; j <= inner_nodes; ++j)
        for (std::size_t i = 1; i <= inner_nodes; ++i)
            v[i * strides[a] + j * strides[b]] += projected(i, p) * projected(j, q);
}

/// Position p along axis a, seen in the edge where the other axes are at their lower ends.
void add_edge(Pattern& v, std::size_t a, std::size_t p) {
    for (std::size_t i = 1; i <= inner_nodes; ++i)
        v[i * strides[a]] += projected(i, p);
}

Energy corner_energy(std::size_t slave_faces, std::size_t slave_edges) {
    Pattern v{};
    v[0] = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if ((slave_edges >> axis & 1U) != 0) add_edge(v, axis, 0);
        if ((slave_faces >> axis & 1U) != 0) add_face(v, (axis + 1) % 3, 0, (axis + 2) % 3, 0);
    }
    return energy_of(v);
}

bool is_inside(std::size_t position) {
    return position > 0 && position < split_line_nodes - 1;
}

}  // namespace

Preconditioner::Preconditioner() {
    for (std::size_t node = 0; node < element_nodes; ++node) {
        Pattern v{};
        v[node] = 1;
        nodes_[node] = energy_of(v);
    }
    for (std::size_t p = 0; p < split_line_nodes; ++p) {
        for (std::size_t q = 0; q < split_line_nodes; ++q) {
            Pattern v{};
            add_face(v, 0, p, 1, q);
            face_points_[p][q] = energy_of(v);
        }
        Pattern v{};
        add_edge(v, 0, p);
        edge_points_[0][p] = energy_of(v);
        add_face(v, 0, p, 1, 0);
        edge_points_[1][p] = energy_of(v);
        add_face(v, 0, p, 2, 0);
        edge_points_[2][p] = energy_of(v);
    }
    for (std::size_t slave_faces = 0; slave_faces < 8; ++slave_faces)
        for (std::size_t slave_edges = 0; slave_edges < 8; ++slave_edges)
            corners_[slave_faces][slave_edges] = corner_energy(slave_faces, slave_edges);
}

void Preconditioner::give_shares(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size) const {
    for (std::size_t block = plan.blocks.begin; block < plan.blocks.end; ++block)
        give_elements(arrays, block, size);
    for (std::size_t group = plan.face_groups.begin; group < plan.face_groups.end; ++group)
        give_face_patches(arrays, group, size);
    for (std::size_t group = plan.edge_groups.begin; group < plan.edge_groups.end; ++group)
        give_edge_patches(arrays, group, size);
}

const Energy& Preconditioner::energy_at(std::uint32_t slaves, std::size_t entity, std::size_t slot) const {
    if (entity < first_corner) return nodes_[node_of_slot[slot]];
    const Offset offset = offset_of(entity_direction[entity]);
    std::size_t slave_faces = 0;
    std::size_t slave_edges = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Offset face{};
        face[axis] = offset[axis];
        Offset edge = offset;
        edge[axis] = 0;
        slave_faces |= (slaves >> entity_of_direction[direction_of(face)] & std::size_t{1}) << axis;
        slave_edges |= (slaves >> entity_of_direction[direction_of(edge)] & std::size_t{1}) << axis;
    }
    return corners_[slave_faces][slave_edges];
}

void Preconditioner::give_elements(const Arrays& arrays, std::size_t block, const MeshSize& size) const {
    const BlockConstants& constants = arrays.constants[block];
    double* pool = arrays.pool.data() + block * block_values;
    double* inner = arrays.inner_inverse_diagonal.data() + block * block_inner_values;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const double k = constants.stiffness[lane];
        const double m = constants.mass_over_dt[lane];
        const bool is_element = block * lanes + lane < size.elements;
        for (std::size_t slot = 0; slot < inner_slots; ++slot) {
            const Energy& energy = nodes_[node_of_slot[slot]];
            inner[slot * lanes + lane] = is_element ? 1 / (k * energy.stiffness + m * energy.mass) : 0;
        }
        const std::uint32_t slaves = arrays.slaves[block * lanes + lane];
        for (std::size_t entity = 0; entity < boundary_entities; ++entity)
            for (std::size_t slot = slot_of(entity); slot < slot_of(entity) + points_of(entity); ++slot) {
                const Energy& energy = energy_at(slaves, entity, slot);
                const bool outside = (constants.outside[lane] >> entity & 1U) != 0;
                pool[slot * lanes + lane] =
                    outside ? std::numeric_limits<double>::infinity() : k * energy.stiffness + m * energy.mass;
            }
    }
}

/// The rim of the grid belongs to the patches of the face's edges, its corners to the element.
void Preconditioner::give_face_patches(const Arrays& arrays, std::size_t group, const MeshSize& size) const {
    double* patch = arrays.pool.data() + size.face_patches() + group * patch_points * lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::int32_t element = arrays.face_groups[group].element[lane];
        for (std::size_t position = 0; position < patch_points; ++position) {
            double& share = patch[place_of_position[position] * lanes + lane];
            const std::size_t p = position % split_line_nodes;
            const std::size_t q = position / split_line_nodes;
            share = 0;
            if (element == none || !is_inside(p) || !is_inside(q)) continue;
            const auto e = static_cast<std::size_t>(element);
            const BlockConstants& constants = arrays.constants[e / lanes];
            share = constants.stiffness[e % lanes] * face_points_[p][q].stiffness +
                    constants.mass_over_dt[e % lanes] * face_points_[p][q].mass;
        }
    }
}

void Preconditioner::give_edge_patches(const Arrays& arrays, std::size_t group, const MeshSize& size) const {
    const EdgeGroup& slaves = arrays.edge_groups[group];
    double* patch = arrays.pool.data() + size.edge_patches() + group * split_line_nodes * lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane)
        for (std::size_t p = 0; p < split_line_nodes; ++p) {
            double& share = patch[p * lanes + lane];
            share = 0;
            if (slaves.element[lane] == none || !is_inside(p)) continue;
            const auto e = static_cast<std::size_t>(slaves.element[lane]);
            const BlockConstants& constants = arrays.constants[e / lanes];
            const Energy& energy = edge_points_[static_cast<std::size_t>(slaves.slave_faces_beside[lane])][p];
            share = constants.stiffness[e % lanes] * energy.stiffness + constants.mass_over_dt[e % lanes] * energy.mass;
        }
}

}  // namespace pinwise::npb::ua
