#include "workloads/npb/cfd/right_hand_side.hpp"

#include "workloads/npb/cfd/stencil.hpp"
#include "workloads/npb/cfd/vector_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/npb/cfd/right_hand_side.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "workloads/npb/cfd/vectors-inl.hpp"

#ifndef PINWISE_NPB_CFD_RIGHT_HAND_SIDE_TILE
#define PINWISE_NPB_CFD_RIGHT_HAND_SIDE_TILE

namespace pinwise::npb::cfd {

/// A tile: so many rows of so many points, followed through the planes. A multiple of the line, and small enough that
/// three planes of primitive variables and five of states stay in L2.
constexpr std::size_t tile_rows = 16;
constexpr std::size_t tile_points = 64;

/// Primitive variables of a point: velocities v1, v2, v3, pressure p, and what the energy equation diffuses beside v²,
/// g = (1 − c1c5)·q + c1c5·E/ρ.
constexpr std::size_t primitives = 5;
constexpr std::size_t ring_pitch = tile_points + 2 * line_doubles;
constexpr std::size_t ring_row = primitives * ring_pitch;
constexpr std::size_t ring_plane = (tile_rows + 2) * ring_row;
constexpr std::size_t ring_planes = 3;

/// Factors of U at −2 … +2 along one direction: diffusion D·t1·(1, −2, 1) less the dissipation.
constexpr Stencil stencil_at(std::size_t s, std::size_t points, double diffusion_t1) {
    const Stencil second{0, 1, -2, 1, 0};
    Stencil stencil = dissipation_at(s, points);
    for (std::size_t t = 0; t < stencil.size(); ++t)
        stencil[t] = diffusion_t1 * second[t] - dssp * stencil[t];
    return stencil;
}

/// Stencil factors along x, which differ from point to point next to the boundary: [factor][place in the tile].
using XFactors = double[5][tile_points];

/// What one call works on.
struct RightHandSideCall {
    const Grid& grid;
    Spacing spacing;
    const double* u;
    const double* forcing;
    double scale;
    double* out;
    double* ring;
};

/// Rows [begin, end) and places [first, first + count) of every plane.
struct Tile {
    Slab rows;
    std::size_t first;
    std::size_t count;
};

}  // namespace pinwise::npb::cfd

#endif

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::cfd::HWY_NAMESPACE {

/// Where the ring has the primitive variables of a place of row j of plane k.
HWY_INLINE double* ring_at(const RightHandSideCall& call, const Tile& tile, std::size_t k, std::size_t j,
                           std::size_t place) {
    return call.ring + k % ring_planes * ring_plane + (j + 1 - tile.rows.begin) * ring_row +
           (place + line_doubles - tile.first);
}

/// Primitive variables of the tile's rows of plane k and of one row and one group of points around them.
void fill_ring(const RightHandSideCall& call, const Tile& tile, std::size_t k) {
    const std::size_t pitch = call.grid.pitch();
    const std::size_t begin = tile.first - line_doubles;
    const std::size_t end = HWY_MIN(tile.first + tile.count + line_doubles, pitch);
    for (std::size_t j = tile.rows.begin - 1; j <= tile.rows.end; ++j) {
        const double* row = call.u + call.grid.offset(k, j);
        for (std::size_t place = begin; place < end; place += lanes) {
            double* ring = ring_at(call, tile, k, j, place);
            const Five u = load_five(row + place, pitch);
            const Vector rho_inverse = set(1.0) / u.c[0];
            const Vector v1 = u.c[1] * rho_inverse;
            const Vector v2 = u.c[2] * rho_inverse;
            const Vector v3 = u.c[3] * rho_inverse;
            const Vector kinetic = set(0.5) * mul_add(u.c[1], v1, mul_add(u.c[2], v2, u.c[3] * v3));
            const Vector pressure = set(c2) * (u.c[4] - kinetic);
            const Vector diffused = rho_inverse * mul_add(set(conz1), kinetic, set(c1c5) * u.c[4]);
            store_five({{v1, v2, v3, pressure, diffused}}, ring, ring_pitch);
        }
    }
}

/// States and primitive variables around a vector of points along one direction: strides in doubles.
struct Neighbours {
    const double* u;
    const double* primitive_before;
    const double* primitive_after;
    std::size_t two_before;  ///< distances to the states at −2, −1, +1, +2; 0 where there is none
    std::size_t before;
    std::size_t after;
    std::size_t two_after;
};

/// Adds direction `d`'s part that depends on the neighbours: the point's own states and velocities are added once for
/// all directions.
template <std::size_t d>
HWY_INLINE void add_direction(const Neighbours& at, std::size_t pitch, const Vector (&factors)[5], Vector t2,
                              Vector viscous, Five& sum) {
    Vector u_before[components];
    Vector u_after[components];
    for (std::size_t m = 0; m < components; ++m) {
        const double* u = at.u + m * pitch;
        u_before[m] = load_unaligned(u - at.before);
        u_after[m] = load_unaligned(u + at.after);
        sum.c[m] = mul_add(factors[0], load_unaligned(u - at.two_before), sum.c[m]);
        sum.c[m] = mul_add(factors[1], u_before[m], sum.c[m]);
        sum.c[m] = mul_add(factors[3], u_after[m], sum.c[m]);
        sum.c[m] = mul_add(factors[4], load_unaligned(u + at.two_after), sum.c[m]);
    }
    const auto before = [&](std::size_t p) HWY_ATTR { return load_unaligned(at.primitive_before + p * ring_pitch); };
    const auto after = [&](std::size_t p) HWY_ATTR { return load_unaligned(at.primitive_after + p * ring_pitch); };
    const Vector v_before = before(d);
    const Vector v_after = after(d);
    const Vector t2_v_before = t2 * v_before;
    const Vector t2_v_after = t2 * v_after;
    const Vector p_before = before(3);
    const Vector p_after = after(3);

    sum.c[0] = sub_product(sum.c[0], t2, u_after[1 + d] - u_before[1 + d]);
    sum.c[1 + d] = sub_product(sum.c[1 + d], t2, p_after - p_before);
    for (std::size_t m = 1; m <= 3; ++m)
        sum.c[m] = mul_add(t2_v_before, u_before[m], sub_product(sum.c[m], t2_v_after, u_after[m]));
    sum.c[4] = sub_product(sum.c[4], t2_v_after, u_after[4] + p_after);
    sum.c[4] = mul_add(t2_v_before, u_before[4] + p_before, sum.c[4]);

    for (std::size_t a = 0; a < 3; ++a) {
        const Vector factor = a == d ? viscous * set(con43) : viscous;
        const Vector v_sum = a == d ? v_before + v_after : before(a) + after(a);
        sum.c[1 + a] = mul_add(factor, v_sum, sum.c[1 + a]);
    }
    sum.c[4] = mul_add(viscous, before(4) + after(4), sum.c[4]);
    sum.c[4] = mul_add(viscous * set(con16), mul_add(v_before, v_before, v_after * v_after), sum.c[4]);
}

/// r ← T⁻¹·r with the eigenvectors of the x-direction at the state (u, v, p): SP's first transformation.
HWY_INLINE void to_characteristic(const Five& u, const Five& primitive, Five& r) {
    const Vector* v = primitive.c;
    const Vector p = primitive.c[3];
    const Vector rho = u.c[0];
    const Vector inverse = set(1.0) / (rho * p);
    const Vector rho_inverse = p * inverse;
    const Vector c_squared = set(c1) * p * rho_inverse;
    const Vector c_squared_inverse = set(1.0 / c1) * rho * rho * inverse;
    const Vector q = set(0.5) * mul_add(v[0], v[0], mul_add(v[1], v[1], v[2] * v[2]));
    const Vector bt = hn::Sqrt(set(0.5)) * rho_inverse;

    Vector bracket = mul_add(q, r.c[0], r.c[4]);
    for (std::size_t a = 0; a < 3; ++a)
        bracket = sub_product(bracket, v[a], r.c[1 + a]);
    const Vector first = set(c2) * c_squared_inverse * bracket;
    const Vector second = bt * (v[0] * r.c[0] - r.c[1]);
    const Vector third = bt * hn::Sqrt(c_squared) * first;
    const Five out{{r.c[0] - first, rho_inverse * sub_product(r.c[3], v[2], r.c[0]),
                    rho_inverse * (v[1] * r.c[0] - r.c[2]), third - second, third + second}};
    r = out;
}

/// A row's constant factors.
struct RowFactors {
    Vector y[5];
    Vector z[5];
    Vector t2;
    Vector viscous;
};

HWY_INLINE void load_factors(const Stencil& stencil, Vector (&factors)[5]) {
    for (std::size_t t = 0; t < 5; ++t)
        factors[t] = set(stencil[t]);
}

template <bool is_characteristic>
HWY_INLINE void finish_point(const RightHandSideCall& call, std::size_t offset, std::size_t first_point, const Five& u,
                             const Five& primitive, Five& sum) {
    const std::size_t pitch = call.grid.pitch();
    for (Vector& each : sum.c)
        each = set(call.scale) * each;
    if constexpr (is_characteristic) to_characteristic(u, primitive, sum);
    const std::size_t end = call.grid.points() - 1;  // narrow vectors may begin beyond it
    const std::size_t left = first_point < end ? end - first_point : 0;
    if (left < lanes) {
        const Mask inside = hn::FirstN(Lanes(), left);
        for (Vector& each : sum.c)
            each = hn::IfThenElseZero(inside, each);
    }
    store_five(sum, call.out + offset, pitch);
}

/// Asks for what the row after this one will take from memory: the states two planes ahead, forcing and out. The
/// hardware's prefetchers do not follow rows of a few lines in fifteen streams: without this the loads of these three
/// are most of the time.
HWY_INLINE void prefetch_next_row(const RightHandSideCall& call, std::size_t offset) {
    const Grid& grid = call.grid;
    for (std::size_t m = 0; m < components; ++m) {
        const std::size_t at = offset + grid.row() + m * grid.pitch();
        hwy::Prefetch(call.u + at + 2 * grid.plane());
        hwy::Prefetch(call.forcing + at);
        hwy::Prefetch(call.out + at);
    }
}

template <bool is_characteristic>
void residual_row(const RightHandSideCall& call, const Tile& tile, const XFactors& x_table, std::size_t k,
                  std::size_t j) {
    const Grid& grid = call.grid;
    const std::size_t pitch = grid.pitch();
    const std::size_t last = grid.points() - 1;
    const double t1 = call.spacing.t1;
    RowFactors factors{};
    load_factors(stencil_at(j, grid.points(), diffusion[1] * t1), factors.y);
    load_factors(stencil_at(k, grid.points(), diffusion[2] * t1), factors.z);
    factors.t2 = set(call.spacing.t2);
    factors.viscous = set(c3c4 * call.spacing.t3 * call.spacing.t3);
    const double* here = ring_at(call, tile, k, j, tile.first);
    const double* below = ring_at(call, tile, k - 1, j, tile.first);
    const double* above = ring_at(call, tile, k + 1, j, tile.first);
    const std::size_t row = grid.row();
    const std::size_t plane = grid.plane();
    for (std::size_t x = 0; x < tile.count; x += lanes) {
        const std::size_t offset = grid.offset(k, j) + tile.first + x;
        const double* u = call.u + offset;
        prefetch_next_row(call, offset);
        Vector x_factors[5];
        for (std::size_t t = 0; t < 5; ++t)
            x_factors[t] = load(x_table[t] + x);
        const Five center = load_five(u, pitch);
        const Five primitive = load_five(here + x, ring_pitch);

        Five sum;
        const Vector own = x_factors[2] + factors.y[2] + factors.z[2];
        for (std::size_t m = 0; m < components; ++m)
            sum.c[m] = mul_add(own, center.c[m], hn::Neg(load(call.forcing + offset + m * pitch)));
        const Vector own_viscous = factors.viscous * set(-2.0);
        for (std::size_t a = 0; a < 3; ++a)
            sum.c[1 + a] = mul_add(own_viscous * set(con43 + 2.0), primitive.c[a], sum.c[1 + a]);
        const Vector squares = mul_add(primitive.c[0], primitive.c[0],
                                       mul_add(primitive.c[1], primitive.c[1], primitive.c[2] * primitive.c[2]));
        sum.c[4] = mul_add(own_viscous, mul_add(set(3.0), primitive.c[4], set(con16) * squares), sum.c[4]);

        const double* p = here + x;
        add_direction<0>({u, p - 1, p + 1, 2, 1, 1, 2}, pitch, x_factors, factors.t2, factors.viscous, sum);
        add_direction<1>({u, p - ring_row, p + ring_row, j > 1 ? 2 * row : 0, row, row, j + 1 < last ? 2 * row : 0},
                         pitch, factors.y, factors.t2, factors.viscous, sum);
        add_direction<2>({u, below + x, above + x, k > 1 ? 2 * plane : 0, plane, plane, k + 1 < last ? 2 * plane : 0},
                         pitch, factors.z, factors.t2, factors.viscous, sum);
        const std::size_t first_point = tile.first + x + 1 - Grid::first_interior;
        finish_point<is_characteristic>(call, offset, first_point, center, primitive, sum);
    }
}

template <bool is_characteristic>
void residual_tile(const RightHandSideCall& call, Slab planes, const Tile& tile) {
    HWY_ALIGN XFactors x_table;
    for (std::size_t x = 0; x < tile.count; ++x) {
        const std::size_t point = tile.first + x + 1 - Grid::first_interior;
        const Stencil stencil = stencil_at(point, call.grid.points(), diffusion[0] * call.spacing.t1);
        for (std::size_t t = 0; t < stencil.size(); ++t)
            x_table[t][x] = stencil[t];
    }
    fill_ring(call, tile, planes.begin - 1);
    fill_ring(call, tile, planes.begin);
    for (std::size_t k = planes.begin; k < planes.end; ++k) {
        fill_ring(call, tile, k + 1);
        for (std::size_t j = tile.rows.begin; j < tile.rows.end; ++j)
            residual_row<is_characteristic>(call, tile, x_table, k, j);
    }
}

template <bool is_characteristic>
HWY_INLINE void residual_tiles(const RightHandSideCall& call, Slab planes) {
    if (planes.empty()) return;
    const std::size_t last = call.grid.points() - 1;
    const std::size_t end = Grid::first_interior + call.grid.padded_interior();
    for (std::size_t j = 1; j < last; j += tile_rows)
        for (std::size_t first = Grid::first_interior; first < end; first += tile_points)
            residual_tile<is_characteristic>(
                call, planes, {{j, HWY_MIN(j + tile_rows, last)}, first, HWY_MIN(tile_points, end - first)});
}

void residual_planes(const RightHandSideCall& call, Slab planes) {
    residual_tiles<false>(call, planes);
}

void characteristic_residual_planes(const RightHandSideCall& call, Slab planes) {
    residual_tiles<true>(call, planes);
}

std::int64_t target() {
    return HWY_TARGET;
}

}  // namespace pinwise::npb::cfd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace pinwise::npb::cfd {

HWY_EXPORT(residual_planes);
HWY_EXPORT(characteristic_residual_planes);
HWY_EXPORT(target);

std::size_t right_hand_side_doubles() {
    return ring_planes * ring_plane;
}

void residual(const Grid& grid, Slab planes, const double* u, const double* forcing, double scale, double* out,
              double* memory) {
    HWY_DYNAMIC_DISPATCH(residual_planes)
    ({grid, Spacing(grid.points()), u, forcing, scale, out, memory}, planes);
}

void characteristic_residual(const Grid& grid, Slab planes, const double* u, const double* forcing, double dt,
                             double* out, double* memory) {
    HWY_DYNAMIC_DISPATCH(characteristic_residual_planes)
    ({grid, Spacing(grid.points()), u, forcing, dt, out, memory}, planes);
}

std::string vector_target() {
    return hwy::TargetName(HWY_DYNAMIC_DISPATCH(target)());
}

}  // namespace pinwise::npb::cfd

#endif
