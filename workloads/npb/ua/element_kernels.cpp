#include "workloads/npb/ua/element_kernels.hpp"

#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/npb/ua/element_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// clang-format off
// After highway.h and once for every target.
#include "workloads/npb/ua/tensor-inl.hpp"
// clang-format on

// Work arrays on the stack are filled before they are read.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::ua::HWY_NAMESPACE {

/// Reads the boundary nodes of a block's elements from a mortar vector.
template <std::size_t entity>
HWY_INLINE void read_entity(const double* vector, const BlockIndex& index, double* field) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const double* from = vector + index[entity][lane];
        for (std::size_t point = 0; point < points_of(entity); ++point)
            field[node_of_slot[slot_of(entity) + point] * lanes + lane] = from[point];
    }
}

template <std::size_t... entities>
HWY_INLINE void read_entities(const double* vector, const BlockIndex& index, double* field,
                              std::index_sequence<entities...> /*all*/) {
    (read_entity<entities>(vector, index, field), ...);
}

HWY_INLINE void read_boundary(const double* vector, const BlockIndex& index, double* field) {
    read_entities(vector, index, field, std::make_index_sequence<boundary_entities>());
}

/// A field of one block in the order of nodes.
struct BlockField {
    alignas(64) std::array<double, block_values> values;

    HWY_INLINE double* at(std::size_t node) { return values.data() + node * lanes; }
};

// Convection ---------------------------------------------------------------------------------------------------------

/// cos(π·√q) as a power series in q; the term after the last is below 1e-20 for q ≤ 1.
constexpr std::size_t cosine_terms = 17;
constexpr std::array<double, cosine_terms> cosine_series = [] {
    constexpr double pi = 3.14159265358979323846;
    std::array<double, cosine_terms> terms{};
    terms[0] = 1;
    for (std::size_t k = 1; k < cosine_terms; ++k)
        terms[k] = -terms[k - 1] * pi * pi / static_cast<double>((2 * k - 1) * (2 * k));
    return terms;
}();

/// Squared distance along one axis of a line of nodes from the source.
HWY_INLINE void squared_distances(const BlockConstants& constants, std::size_t axis, double centre, double* squares) {
    const D d;
    for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d))
        for (std::size_t i = 0; i < line_nodes; ++i) {
            const V size = hn::Load(d, constants.size.data() + lane);
            const V from = hn::Sub(hn::Load(d, constants.corner[axis].data() + lane), hn::Set(d, centre));
            const V distance = hn::MulAdd(size, hn::Set(d, (gll_nodes[i] + 1) / 2), from);
            hn::Store(hn::Mul(distance, distance), d, squares + i * lanes + lane);
        }
}

/// Whether the source reaches an element of the block.
HWY_INLINE bool reaches(const Source& source, const BlockConstants& constants) {
    const D d;
    bool any = false;
    for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d)) {
        V squared = hn::Zero(d);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const V low = hn::Load(d, constants.corner[axis].data() + lane);
            const V high = hn::Add(low, hn::Load(d, constants.size.data() + lane));
            const V centre = hn::Set(d, source.centre[axis]);
            const V distance = hn::Max(hn::Zero(d), hn::Max(hn::Sub(low, centre), hn::Sub(centre, high)));
            squared = hn::MulAdd(distance, distance, squared);
        }
        any = any || !hn::AllFalse(d, hn::Le(squared, hn::Set(d, source.radius * source.radius)));
    }
    return any;
}

/// 1 + cos(π·d/α) within the source, 0 outside, at all nodes of a block. False, and nothing written, if it is 0
/// everywhere.
HWY_INLINE bool heat_of(const Source& source, const BlockConstants& constants, BlockField& heat) {
    if (!reaches(source, constants)) return false;
    const D d;
    alignas(64) std::array<std::array<double, line_nodes * lanes>, 3> squares;
    for (std::size_t axis = 0; axis < 3; ++axis)
        squared_distances(constants, axis, source.centre[axis], squares[axis].data());
    const V one = hn::Set(d, 1.0);
    const V scale = hn::Set(d, 1 / (source.radius * source.radius));
    for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d))
        for (std::size_t line = 0; line < line_nodes * line_nodes; ++line) {
            const V y2 = hn::Load(d, squares[1].data() + line % 5 * lanes + lane);
            const V z2 = hn::Load(d, squares[2].data() + line / 5 * lanes + lane);
            const V yz2 = hn::Add(y2, z2);
            for (std::size_t i = 0; i < line_nodes; ++i) {
                const V q = hn::Mul(scale, hn::Add(yz2, hn::Load(d, squares[0].data() + i * lanes + lane)));
                const auto inside = hn::Le(q, one);
                V sum = hn::Zero(d);
                if (!hn::AllFalse(d, inside)) {
                    sum = hn::Set(d, cosine_series[cosine_terms - 1]);
                    for (std::size_t k = cosine_terms - 1; k-- > 0;)
                        sum = hn::MulAdd(sum, q, hn::Set(d, cosine_series[k]));
                    sum = hn::IfThenElseZero(inside, hn::Add(one, sum));
                }
                hn::Store(sum, d, heat.at(line * 5 + i) + lane);
            }
        }
    return true;
}

/// The slope f(u) at all nodes: −3·(2/h)·(∂x + ∂y + ∂z)u + heat, each passed to `use`(node, lane, slope).
template <class Use>
HWY_INLINE void slopes(const BlockConstants& constants, BlockField& u, BlockField& work, BlockField* heat,
                       const Use& use) {
    const D d;
    for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d)) {
        const V speed = hn::Load(d, constants.convection.data() + lane);
        sum_directions<derivative>(u.at(0) + lane, work.at(0) + lane, [&](std::size_t node, V sum) HWY_ATTR {
            const V source = heat == nullptr ? hn::Zero(d) : hn::Load(d, heat->at(node) + lane);
            use(node, lane, hn::NegMulAdd(speed, sum, source));
        });
    }
}

/// Puts back the values of nodes on the surface of the cube.
HWY_INLINE void restore_surface(const BlockConstants& constants, BlockField& before, double* temperature) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
        for (std::size_t entity = 0; entity < boundary_entities; ++entity) {
            if ((constants.outside[lane] >> entity & 1U) == 0) continue;
            for (std::size_t slot = slot_of(entity); slot < slot_of(entity) + points_of(entity); ++slot)
                temperature[slot * lanes + lane] = before.at(node_of_slot[slot])[lane];
        }
}

HWY_INLINE void convect_block(const BlockConstants& constants, const ConvectionStep& step, double* temperature) {
    const D d;
    BlockField start;
    BlockField sum;
    BlockField heat;
    std::array<BlockField, 2> stage;
    for (std::size_t slot = 0; slot < element_nodes; ++slot)
        for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d))
            hn::Store(hn::Load(d, temperature + slot * lanes + lane), d, start.at(node_of_slot[slot]) + lane);

    const V half = hn::Set(d, step.dt / 2);
    BlockField* heat_now = heat_of(step.sources[0], constants, heat) ? &heat : nullptr;
    slopes(constants, start, stage[0], heat_now, [&](std::size_t node, std::size_t lane, V slope) HWY_ATTR {
        hn::Store(slope, d, sum.at(node) + lane);
        hn::Store(hn::MulAdd(half, slope, hn::Load(d, start.at(node) + lane)), d, stage[0].at(node) + lane);
    });
    heat_now = heat_of(step.sources[1], constants, heat) ? &heat : nullptr;
    for (std::size_t middle = 0; middle < 2; ++middle) {
        const V forward = hn::Set(d, middle == 0 ? step.dt / 2 : step.dt);
        BlockField& next = stage[1 - middle];
        slopes(constants, stage[middle], next, heat_now, [&](std::size_t node, std::size_t lane, V slope) HWY_ATTR {
            double* at = sum.at(node) + lane;
            hn::Store(hn::MulAdd(hn::Set(d, 2.0), slope, hn::Load(d, at)), d, at);
            hn::Store(hn::MulAdd(forward, slope, hn::Load(d, start.at(node) + lane)), d, next.at(node) + lane);
        });
    }
    heat_now = heat_of(step.sources[2], constants, heat) ? &heat : nullptr;
    const V sixth = hn::Set(d, step.dt / 6);
    slopes(constants, stage[0], stage[1], heat_now, [&](std::size_t node, std::size_t lane, V slope) HWY_ATTR {
        const V all = hn::Add(slope, hn::Load(d, sum.at(node) + lane));
        hn::Store(hn::MulAdd(sixth, all, hn::Load(d, start.at(node) + lane)), d,
                  temperature + slot_of_node[node] * lanes + lane);
    });
    restore_surface(constants, start, temperature);
}

void convect_blocks(const Arrays& arrays, workloads::Slice blocks, const ConvectionStep& step) {
    for (std::size_t block = blocks.begin; block < blocks.end; ++block)
        convect_block(arrays.constants[block], step, arrays.temperature.data() + block * block_values);
}

// Diffusion ----------------------------------------------------------------------------------------------------------

void residual_blocks(const Arrays& arrays, workloads::Slice blocks) {
    const D d;
    BlockField u;
    BlockField work;
    for (std::size_t block = blocks.begin; block < blocks.end; ++block) {
        const BlockConstants& constants = arrays.constants[block];
        const double* temperature = arrays.temperature.data() + block * block_values;
        double* pool = arrays.pool.data() + block * block_values;
        double* inner = arrays.inner_residual.data() + block * block_inner_values;
        for (std::size_t slot = 0; slot < inner_slots; ++slot)
            for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d))
                hn::Store(hn::Load(d, temperature + slot * lanes + lane), d, u.at(node_of_slot[slot]) + lane);
        read_boundary(arrays.mortar.data(), arrays.index[block], u.at(0));
        for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d)) {
            const V k = hn::Load(d, constants.stiffness.data() + lane);
            const V m = hn::Load(d, constants.mass_over_dt.data() + lane);
            sum_directions<weak_second_derivative>(
                u.at(0) + lane, work.at(0) + lane, [&](std::size_t node, V sum) HWY_ATTR {
                    const std::size_t at = slot_of_node[node] * lanes + lane;
                    const V change = hn::Sub(hn::Load(d, temperature + at), hn::Load(d, u.at(node) + lane));
                    const V weak = hn::NegMulAdd(k, sum, hn::Mul(m, change));
                    hn::Store(hn::Mul(hn::Set(d, node_weights[node]), weak), d, pool + at);
                });
        }
        for (std::size_t i = 0; i < block_inner_values; i += hn::Lanes(d))
            hn::Store(hn::Load(d, pool + i), d, inner + i);
    }
}

/// The inner nodes of the next direction, after T has gone along the old one.
HWY_INLINE void next_inner_direction(const Arrays& arrays, std::size_t block, double beta, double alpha_before,
                                     BlockField& u) {
    const D d;
    double* temperature = arrays.temperature.data() + block * block_values;
    const double* residual = arrays.inner_residual.data() + block * block_inner_values;
    const double* inverse = arrays.inner_inverse_diagonal.data() + block * block_inner_values;
    double* direction = arrays.inner_direction.data() + block * block_inner_values;
    const V a = hn::Set(d, alpha_before);
    const V b = hn::Set(d, beta);
    for (std::size_t slot = 0; slot < inner_slots; ++slot)
        for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d)) {
            const std::size_t i = slot * lanes + lane;
            const V old = hn::Load(d, direction + i);
            hn::Store(hn::MulAdd(a, old, hn::Load(d, temperature + i)), d, temperature + i);
            const V z = hn::Mul(hn::Load(d, inverse + i), hn::Load(d, residual + i));
            const V next = hn::MulAdd(b, old, z);
            hn::Store(next, d, direction + i);
            hn::Store(next, d, u.at(node_of_slot[slot]) + lane);
        }
}

void direction_blocks(const Arrays& arrays, workloads::Slice blocks, double beta, double alpha_before) {
    const D d;
    BlockField u;
    BlockField work;
    for (std::size_t block = blocks.begin; block < blocks.end; ++block) {
        const BlockConstants& constants = arrays.constants[block];
        double* pool = arrays.pool.data() + block * block_values;
        read_boundary(arrays.direction.data(), arrays.index[block], u.at(0));
        next_inner_direction(arrays, block, beta, alpha_before, u);
        V product = hn::Zero(d);
        for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d)) {
            const V k = hn::Load(d, constants.stiffness.data() + lane);
            const V m = hn::Load(d, constants.mass_over_dt.data() + lane);
            sum_directions<weak_second_derivative>(u.at(0) + lane, work.at(0) + lane,
                                                   [&](std::size_t node, V sum) HWY_ATTR {
                                                       const V p = hn::Load(d, u.at(node) + lane);
                                                       const V weak = hn::MulAdd(k, sum, hn::Mul(m, p));
                                                       const V q = hn::Mul(hn::Set(d, node_weights[node]), weak);
                                                       product = hn::MulAdd(p, q, product);
                                                       hn::Store(q, d, pool + slot_of_node[node] * lanes + lane);
                                                   });
        }
        arrays.block_sums[block] = hn::GetLane(hn::SumOfLanes(d, product));
    }
}

template <std::size_t entity>
HWY_INLINE void read_entity_slots(const double* vector, const BlockIndex& index, double* slots) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const double* from = vector + index[entity][lane];
        for (std::size_t point = 0; point < points_of(entity); ++point)
            slots[(slot_of(entity) + point) * lanes + lane] = from[point];
    }
}

template <std::size_t... entities>
HWY_INLINE void read_boundary_slots(const double* vector, const BlockIndex& index, double* slots,
                                    std::index_sequence<entities...> /*all*/) {
    (read_entity_slots<entities>(vector, index, slots), ...);
}

void finish_blocks(const Arrays& arrays, workloads::Slice blocks, double alpha) {
    const D d;
    for (std::size_t block = blocks.begin; block < blocks.end; ++block) {
        double* temperature = arrays.temperature.data() + block * block_values;
        const double* direction = arrays.inner_direction.data() + block * block_inner_values;
        for (std::size_t i = 0; i < block_inner_values; i += hn::Lanes(d)) {
            const V change = hn::Mul(hn::Set(d, alpha), hn::Load(d, direction + i));
            hn::Store(hn::Add(hn::Load(d, temperature + i), change), d, temperature + i);
        }
        read_boundary_slots(arrays.mortar.data(), arrays.index[block], temperature,
                            std::make_index_sequence<boundary_entities>());
    }
}

std::int64_t target() {
    return HWY_TARGET;
}

}  // namespace pinwise::npb::ua::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

#if HWY_ONCE

namespace pinwise::npb::ua {

HWY_EXPORT(convect_blocks);
HWY_EXPORT(residual_blocks);
HWY_EXPORT(direction_blocks);
HWY_EXPORT(finish_blocks);
HWY_EXPORT(target);

void convect(const Arrays& arrays, workloads::Slice blocks, const ConvectionStep& step) {
    HWY_DYNAMIC_DISPATCH(convect_blocks)(arrays, blocks, step);
}

void find_residual(const Arrays& arrays, workloads::Slice blocks) {
    HWY_DYNAMIC_DISPATCH(residual_blocks)(arrays, blocks);
}

void apply_to_direction(const Arrays& arrays, workloads::Slice blocks, double beta, double alpha_before) {
    HWY_DYNAMIC_DISPATCH(direction_blocks)(arrays, blocks, beta, alpha_before);
}

void finish_temperature(const Arrays& arrays, workloads::Slice blocks, double alpha) {
    HWY_DYNAMIC_DISPATCH(finish_blocks)(arrays, blocks, alpha);
}

std::string vector_target() {
    return hwy::TargetName(HWY_DYNAMIC_DISPATCH(target)());
}

}  // namespace pinwise::npb::ua

#endif
