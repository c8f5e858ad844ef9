#include "workloads/npb/ua/point_kernels.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/npb/ua/point_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Work arrays on the stack are filled before they are read.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::ua::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, lanes>;
using V = hn::Vec<D>;

// Projection of slaves -----------------------------------------------------------------------------------------------

/// Adds coefficient·value unless the coefficient is 0.
template <std::size_t row, std::size_t column>
HWY_INLINE V add_projected(V sum, V value) {
    if constexpr (mortar_projection[row][column] == 0) return sum;
    return hn::MulAdd(hn::Set(D(), mortar_projection[row][column]), value, sum);
}

/// Row `row` of the projection times nine values `step` apart.
template <std::size_t row, std::size_t... columns>
HWY_INLINE V project_row(const double* from, std::size_t step, std::index_sequence<columns...> /*all*/) {
    const D d;
    V sum = hn::Zero(d);
    ((sum = add_projected<row, columns>(sum, hn::Load(d, from + columns * step))), ...);
    return sum;
}

/// Three inner values from nine along a line.
HWY_INLINE void project_line(const double* from, std::size_t from_step, double* to, std::size_t to_step) {
    const D d;
    constexpr auto columns = std::make_index_sequence<split_line_nodes>();
    hn::Store(project_row<0>(from, from_step, columns), d, to);
    hn::Store(project_row<1>(from, from_step, columns), d, to + to_step);
    hn::Store(project_row<2>(from, from_step, columns), d, to + 2 * to_step);
}

template <std::size_t... columns>
HWY_INLINE void spread_columns(const double* from, std::size_t from_step, double* to, std::size_t to_step,
                               std::index_sequence<columns...> /*all*/) {
    const D d;
    const V v0 = hn::Load(d, from);
    const V v1 = hn::Load(d, from + from_step);
    const V v2 = hn::Load(d, from + 2 * from_step);
    (hn::Store(add_projected<2, columns>(add_projected<1, columns>(add_projected<0, columns>(hn::Zero(d), v0), v1), v2),
               d, to + columns * to_step),
     ...);
}

/// Nine values from three: the transpose.
HWY_INLINE void spread_line(const double* from, std::size_t from_step, double* to, std::size_t to_step) {
    spread_columns(from, from_step, to, to_step, std::make_index_sequence<split_line_nodes>());
}

template <std::size_t count>
struct GroupField {
    alignas(64) std::array<double, count * lanes> values;
};

/// Reads the points of the patches of a group of slave faces, in the order of the patch's grid.
HWY_INLINE void read_patch(const FaceGroup& group, const double* vector, double* grid) {
    for (std::size_t part = 0; part < patch_parts; ++part) {
        const std::size_t a = part % line_parts;
        const std::size_t b = part / line_parts;
        double* to = grid + (part_position(a) + split_line_nodes * part_position(b)) * lanes;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const double* from = vector + group.source[part][lane];
            for (std::size_t j = 0; j < part_points(b); ++j)
                for (std::size_t i = 0; i < part_points(a); ++i)
                    to[(i + split_line_nodes * j) * lanes + lane] = *from++;
        }
    }
}

/// Values of a slave have a place of their own, point by point.
template <std::size_t points>
HWY_INLINE void write_slaves(const GroupField<points>& values, double* to) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
        for (std::size_t point = 0; point < points; ++point)
            to[lane * points + point] = values.values[point * lanes + lane];
}

/// What the elements have left for a group of slaves.
template <std::size_t points, std::size_t parts>
HWY_INLINE void read_slaves(const SlaveGroup<parts>& group, const double* pool, GroupField<points>& values) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
        for (std::size_t point = 0; point < points; ++point)
            values.values[point * lanes + lane] = pool[group.values[lane] + point * lanes];
}

HWY_INLINE void project_faces(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size, double* vector) {
    GroupField<patch_points> grid;
    GroupField<inner_nodes * split_line_nodes> half;
    GroupField<face_points> face;
    for (std::size_t group = plan.face_groups.begin; group < plan.face_groups.end; ++group) {
        read_patch(arrays.face_groups[group], vector, grid.values.data());
        for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(D())) {
            for (std::size_t q = 0; q < split_line_nodes; ++q)
                project_line(grid.values.data() + q * split_line_nodes * lanes + lane, lanes,
                             half.values.data() + q * inner_nodes * lanes + lane, lanes);
            for (std::size_t i = 0; i < inner_nodes; ++i)
                project_line(half.values.data() + i * lanes + lane, inner_nodes * lanes,
                             face.values.data() + i * lanes + lane, inner_nodes * lanes);
        }
        write_slaves(face, vector + size.first_face_slave() + group * lanes * face_points);
    }
}

HWY_INLINE void project_edges(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size, double* vector) {
    GroupField<split_line_nodes> line;
    GroupField<edge_points> edge;
    for (std::size_t group = plan.edge_groups.begin; group < plan.edge_groups.end; ++group) {
        const EdgeGroup& slaves = arrays.edge_groups[group];
        for (std::size_t part = 0; part < line_parts; ++part)
            for (std::size_t lane = 0; lane < lanes; ++lane)
                for (std::size_t i = 0; i < part_points(part); ++i)
                    line.values[(part_position(part) + i) * lanes + lane] =
                        vector[slaves.source[part][lane] + static_cast<std::int32_t>(i)];
        for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(D()))
            project_line(line.values.data() + lane, lanes, edge.values.data() + lane, lanes);
        write_slaves(edge, vector + size.first_edge_slave() + group * lanes * edge_points);
    }
}

void project(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size, double* vector) {
    project_faces(arrays, plan, size, vector);
    project_edges(arrays, plan, size, vector);
}

void spread(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size) {
    double* pool = arrays.pool.data();
    GroupField<face_points> face;
    GroupField<inner_nodes * split_line_nodes> half;
    GroupField<patch_points> grid;
    for (std::size_t group = plan.face_groups.begin; group < plan.face_groups.end; ++group) {
        read_slaves(arrays.face_groups[group], pool, face);
        double* patch = pool + size.face_patches() + group * patch_points * lanes;
        for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(D())) {
            for (std::size_t i = 0; i < inner_nodes; ++i)
                spread_line(face.values.data() + i * lanes + lane, inner_nodes * lanes,
                            half.values.data() + i * lanes + lane, inner_nodes * lanes);
            for (std::size_t q = 0; q < split_line_nodes; ++q)
                spread_line(half.values.data() + q * inner_nodes * lanes + lane, lanes,
                            grid.values.data() + q * split_line_nodes * lanes + lane, lanes);
            for (std::size_t position = 0; position < patch_points; ++position)
                hn::Store(hn::Load(D(), grid.values.data() + position * lanes + lane), D(),
                          patch + place_of_position[position] * lanes + lane);
        }
    }
    GroupField<edge_points> edge;
    for (std::size_t group = plan.edge_groups.begin; group < plan.edge_groups.end; ++group) {
        read_slaves(arrays.edge_groups[group], pool, edge);
        double* patch = pool + size.edge_patches() + group * split_line_nodes * lanes;
        for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(D()))
            spread_line(edge.values.data() + lane, lanes, patch + lane, lanes);
    }
}

// Sums at points -----------------------------------------------------------------------------------------------------

/// Walks through a plan's lists of sums, block by block.
struct SumCursor {
    const std::array<std::uint32_t, 2>* faces;
    const std::uint32_t* edges;
    const std::uint32_t* corners;

    explicit SumCursor(const WorkerPlan& plan)
        : faces(plan.face_sums.data()), edges(plan.edge_sums.data()), corners(plan.corner_sums.data()) {}
};

/// At most as many points as all entities around a block's elements have.
constexpr std::size_t most_block_points = lanes * (element_nodes - inner_slots);

/// The sums of one block's points.
HWY_INLINE void sum_points(const BlockPoints& points, const double* pool, SumCursor& cursor, double* sums) {
    for (std::uint32_t face = 0; face < points.faces; ++face, ++cursor.faces) {
        const double* own = pool + (*cursor.faces)[0];
        const double* other = pool + (*cursor.faces)[1];
        for (std::size_t i = 0; i < face_points; ++i)
            *sums++ = own[i * lanes] + other[i * lanes];
    }
    for (std::uint32_t edge = 0; edge < points.edges; ++edge) {
        const std::uint32_t count = cursor.edges[1];
        const std::uint32_t* places = cursor.edges + 2;
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const double* from = pool + places[i];
            s0 += from[0];
            s1 += from[lanes];
            s2 += from[2 * lanes];
        }
        *sums++ = s0;
        *sums++ = s1;
        *sums++ = s2;
        cursor.edges = places + count;
    }
    for (std::uint32_t corner = 0; corner < points.corners; ++corner) {
        const std::uint32_t count = *cursor.corners++;
        double sum = 0;
        for (std::uint32_t i = 0; i < count; ++i)
            sum += pool[*cursor.corners++];
        *sums++ = sum;
    }
}

/// Calls `body`(i, tag) for i = 0, lanes, … as long as whole vectors fit, then with a tag of one lane for what remains.
template <class Body>
HWY_INLINE void for_vectors(std::size_t count, const Body& body) {
    const D d;
    const hn::CappedTag<double, 1> one;
    const std::size_t in_vectors = count - count % hn::Lanes(d);
    for (std::size_t i = 0; i < in_vectors; i += hn::Lanes(d))
        body(i, d);
    for (std::size_t i = in_vectors; i < count; ++i)
        body(i, one);
}

/// r −= α·q over `count` values and the sum of r·M⁻¹r.
HWY_INLINE double subtract(double* residual, const double* inverse, const double* q, double alpha, std::size_t count) {
    const D d;
    const std::size_t in_vectors = count - count % hn::Lanes(d);
    V sum = hn::Zero(d);
    double rest = 0;
    for (std::size_t i = 0; i < in_vectors; i += hn::Lanes(d)) {
        const V r = hn::NegMulAdd(hn::Set(d, alpha), hn::LoadU(d, q + i), hn::LoadU(d, residual + i));
        hn::StoreU(r, d, residual + i);
        sum = hn::MulAdd(hn::Mul(r, r), hn::LoadU(d, inverse + i), sum);
    }
    for (std::size_t i = in_vectors; i < count; ++i) {
        residual[i] -= alpha * q[i];
        rest += residual[i] * residual[i] * inverse[i];
    }
    return hn::GetLane(hn::SumOfLanes(d, sum)) + rest;
}

void reduce(const Arrays& arrays, const WorkerPlan& plan, double alpha) {
    alignas(64) std::array<double, most_block_points> sums;
    SumCursor cursor(plan);
    for (std::size_t block = plan.blocks.begin; block < plan.blocks.end; ++block) {
        const BlockPoints& points = plan.points[block - plan.blocks.begin];
        sum_points(points, arrays.pool.data(), cursor, sums.data());
        const double outer =
            subtract(arrays.residual.data() + points.first, arrays.inverse_diagonal.data() + points.first, sums.data(),
                     alpha, points.count());
        const double inner = subtract(arrays.inner_residual.data() + block * block_inner_values,
                                      arrays.inner_inverse_diagonal.data() + block * block_inner_values,
                                      arrays.pool.data() + block * block_values, alpha, block_inner_values);
        arrays.block_sums[block] = inner + outer;
    }
}

void start(const Arrays& arrays, const WorkerPlan& plan) {
    SumCursor cursor(plan);
    for (std::size_t block = plan.blocks.begin; block < plan.blocks.end; ++block) {
        const BlockPoints& points = plan.points[block - plan.blocks.begin];
        double* residual = arrays.residual.data() + points.first;
        const double* inverse = arrays.inverse_diagonal.data() + points.first;
        double* direction = arrays.direction.data() + points.first;
        sum_points(points, arrays.pool.data(), cursor, residual);
        double sum = 0;
        for (std::size_t i = 0; i < points.count(); ++i) {
            direction[i] = inverse[i] * residual[i];
            sum += direction[i] * residual[i];
        }
        const double* inner = arrays.inner_residual.data() + block * block_inner_values;
        const double* inner_inverse = arrays.inner_inverse_diagonal.data() + block * block_inner_values;
        for (std::size_t i = 0; i < block_inner_values; ++i)
            sum += inner[i] * inner[i] * inner_inverse[i];
        arrays.block_sums[block] = sum;
    }
}

void invert(const Arrays& arrays, const WorkerPlan& plan) {
    SumCursor cursor(plan);
    for (std::size_t block = plan.blocks.begin; block < plan.blocks.end; ++block) {
        const BlockPoints& points = plan.points[block - plan.blocks.begin];
        double* inverse = arrays.inverse_diagonal.data() + points.first;
        sum_points(points, arrays.pool.data(), cursor, inverse);
        for (std::size_t i = 0; i < points.count(); ++i)
            inverse[i] = 1 / inverse[i];
    }
}

/// All points that a plan's blocks number: they follow one another.
struct PointRange {
    std::size_t begin = 0;
    std::size_t count = 0;
};

HWY_INLINE PointRange all_points(const WorkerPlan& plan) {
    if (plan.points.empty()) return {};
    const std::size_t begin = plan.points.front().first;
    return {begin, plan.points.back().first + plan.points.back().count() - begin};
}

void advance(const Arrays& arrays, const WorkerPlan& plan, double alpha, double beta) {
    const auto [begin, count] = all_points(plan);
    double* mortar = arrays.mortar.data() + begin;
    double* direction = arrays.direction.data() + begin;
    const double* residual = arrays.residual.data() + begin;
    const double* inverse = arrays.inverse_diagonal.data() + begin;
    for_vectors(count, [&](std::size_t i, auto d) HWY_ATTR {
        const auto p = hn::LoadU(d, direction + i);
        hn::StoreU(hn::MulAdd(hn::Set(d, alpha), p, hn::LoadU(d, mortar + i)), d, mortar + i);
        const auto z = hn::Mul(hn::LoadU(d, inverse + i), hn::LoadU(d, residual + i));
        hn::StoreU(hn::MulAdd(hn::Set(d, beta), p, z), d, direction + i);
    });
}

void finish(const Arrays& arrays, const WorkerPlan& plan, double alpha) {
    const auto [begin, count] = all_points(plan);
    double* mortar = arrays.mortar.data() + begin;
    const double* direction = arrays.direction.data() + begin;
    for_vectors(count, [&](std::size_t i, auto d) HWY_ATTR {
        hn::StoreU(hn::MulAdd(hn::Set(d, alpha), hn::LoadU(d, direction + i), hn::LoadU(d, mortar + i)), d, mortar + i);
    });
}

void guess(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size) {
    const double* temperature = arrays.temperature.data();
    const auto elements_end = static_cast<std::uint32_t>(size.face_patches());
    SumCursor cursor(plan);
    const std::uint32_t* counts = plan.corner_mean_counts.data();
    const WeightedCorner* means = plan.corner_means.data();
    for (const BlockPoints& points : plan.points) {
        double* mortar = arrays.mortar.data() + points.first;
        for (std::uint32_t face = 0; face < points.faces; ++face, ++cursor.faces) {
            const double* own = temperature + (*cursor.faces)[0];
            const std::uint32_t other = (*cursor.faces)[1] < elements_end ? (*cursor.faces)[1] : (*cursor.faces)[0];
            for (std::size_t i = 0; i < face_points; ++i)
                *mortar++ = 0.5 * (own[i * lanes] + temperature[other + i * lanes]);
        }
        for (std::uint32_t edge = 0; edge < points.edges; ++edge) {
            const std::uint32_t elements = cursor.edges[0];
            for (std::size_t point = 0; point < edge_points; ++point) {
                double sum = 0;
                for (std::uint32_t i = 0; i < elements; ++i)
                    sum += temperature[cursor.edges[2 + i] + point * lanes];
                *mortar++ = sum / elements;
            }
            cursor.edges += 2 + cursor.edges[1];
        }
        for (std::uint32_t corner = 0; corner < points.corners; ++corner) {
            double sum = 0;
            for (std::uint32_t i = 0; i < *counts; ++i, ++means)
                sum += means->weight * temperature[means->from];
            ++counts;
            *mortar++ = sum;
        }
    }
}

}  // namespace pinwise::npb::ua::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

#if HWY_ONCE

namespace pinwise::npb::ua {

HWY_EXPORT(project);
HWY_EXPORT(spread);
HWY_EXPORT(guess);
HWY_EXPORT(start);
HWY_EXPORT(reduce);
HWY_EXPORT(advance);
HWY_EXPORT(finish);
HWY_EXPORT(invert);

void project_slaves(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size, std::span<double> vector) {
    HWY_DYNAMIC_DISPATCH(project)(arrays, plan, size, vector.data());
}

void spread_slaves(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size) {
    HWY_DYNAMIC_DISPATCH(spread)(arrays, plan, size);
}

void guess_mortar(const Arrays& arrays, const WorkerPlan& plan, const MeshSize& size) {
    HWY_DYNAMIC_DISPATCH(guess)(arrays, plan, size);
}

void start_residual(const Arrays& arrays, const WorkerPlan& plan) {
    HWY_DYNAMIC_DISPATCH(start)(arrays, plan);
}

void reduce_residual(const Arrays& arrays, const WorkerPlan& plan, double alpha) {
    HWY_DYNAMIC_DISPATCH(reduce)(arrays, plan, alpha);
}

void next_direction(const Arrays& arrays, const WorkerPlan& plan, double alpha, double beta) {
    HWY_DYNAMIC_DISPATCH(advance)(arrays, plan, alpha, beta);
}

void finish_mortar(const Arrays& arrays, const WorkerPlan& plan, double alpha) {
    HWY_DYNAMIC_DISPATCH(finish)(arrays, plan, alpha);
}

void invert_diagonal(const Arrays& arrays, const WorkerPlan& plan) {
    HWY_DYNAMIC_DISPATCH(invert)(arrays, plan);
}

}  // namespace pinwise::npb::ua

#endif
