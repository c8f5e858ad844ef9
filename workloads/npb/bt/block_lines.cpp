#include "workloads/npb/bt/block_lines.hpp"

#include "workloads/npb/cfd/vector_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/npb/bt/block_lines.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "workloads/npb/cfd/line_batches-inl.hpp"
#include "workloads/npb/cfd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::cfd::HWY_NAMESPACE {

// Components are taken in the order density, momentum along the line, the two momenta across it, energy: in this order
// the Jacobians look the same in all directions.
template <std::size_t direction>
constexpr std::size_t line_order[components] = {0, 1 + direction, 1 + (direction + 1) % 3, 1 + (direction + 2) % 3, 4};

template <std::size_t direction>
HWY_INLINE Five load_ordered(const double* from, std::size_t stride) {
    Five five;
    for (std::size_t m = 0; m < components; ++m)
        five.c[m] = load(from + line_order<direction>[m] * stride);
    return five;
}

/// Velocities along (n) and across (t, u) the line, 1/ρ, q = v²/2 and e = E/ρ of a point.
struct Primitive {
    Vector vn;
    Vector vt;
    Vector vu;
    Vector rho_inverse;
    Vector q;
    Vector e;
};

HWY_INLINE Primitive primitive_of(const Five& u) {
    Primitive p;
    p.rho_inverse = set(1.0) / u.c[0];
    p.vn = u.c[1] * p.rho_inverse;
    p.vt = u.c[2] * p.rho_inverse;
    p.vu = u.c[3] * p.rho_inverse;
    p.q = set(0.5) * mul_add(p.vn, p.vn, mul_add(p.vt, p.vt, p.vu * p.vu));
    p.e = u.c[4] * p.rho_inverse;
    return p;
}

/// Factors of one direction: dt·t2, dt·t1 and dt·t1·D.
struct LineFactors {
    double convection;
    double diffusion;
    double diffusion_d;
};

/// Entries of dt·t1·N that are not 0: N is the Jacobian of the viscous terms.
struct Viscous {
    Vector normal;      ///< (1, 1); (1, 0) is −normal·vn
    Vector tangential;  ///< (2, 2) and (3, 3); (2, 0) and (3, 0) are −tangential·vt, −tangential·vu
    Vector e0, e1, e2, e3, e4;
};

HWY_INLINE Viscous viscous_of(const Primitive& p, double diffusion) {
    Viscous n;
    n.normal = set(con43 * c3c4 * diffusion) * p.rho_inverse;
    n.tangential = set(c3c4 * diffusion) * p.rho_inverse;
    n.e4 = set(c1345 * diffusion) * p.rho_inverse;
    n.e1 = (n.normal - n.e4) * p.vn;
    n.e2 = (n.tangential - n.e4) * p.vt;
    n.e3 = (n.tangential - n.e4) * p.vu;
    n.e0 = hn::Neg(mul_add(n.e1, p.vn, mul_add(n.e2, p.vt, mul_add(n.e3, p.vu, n.e4 * p.e))));
    return n;
}

/// An off-diagonal block, a·A − dt·t1·(N + D): rows 2 and 3 (across the line) have three entries that are not 0, row 0
/// has two.
struct Coupling {
    Vector r00, r01;
    Vector r10, r11, r12, r13, r14;
    Vector r20, r21, r22;
    Vector r30, r31, r33;
    Vector r40, r41, r42, r43, r44;
};

/// `a` is −dt·t2 for the block below the diagonal, +dt·t2 for the one above.
HWY_INLINE Coupling coupling_of(const Primitive& p, double a, const LineFactors& factors) {
    const Viscous n = viscous_of(p, factors.diffusion);
    const Vector an = set(a) * p.vn;
    const Vector d = set(factors.diffusion_d);
    Coupling b;
    b.r00 = set(-factors.diffusion_d);
    b.r01 = set(a);
    b.r12 = set(-c2 * a) * p.vt;
    b.r13 = set(-c2 * a) * p.vu;
    b.r14 = set(c2 * a);
    b.r10 = mul_add(n.normal - an, p.vn, set(c2 * a) * p.q);
    b.r11 = mul_add(set(2.0 - c2), an, hn::Neg(n.normal + d));
    b.r20 = (n.tangential - an) * p.vt;
    b.r21 = set(a) * p.vt;
    b.r22 = an - (n.tangential + d);
    b.r30 = (n.tangential - an) * p.vu;
    b.r31 = set(a) * p.vu;
    b.r33 = b.r22;
    const Vector enthalpy = mul_add(set(c1), p.e, set(-c2) * p.q);
    b.r40 = sub_product(hn::Neg(n.e0), an, mul_add(set(-c2), p.q, enthalpy));
    b.r41 = mul_add(set(a), enthalpy, sub_product(hn::Neg(n.e1), set(c2) * an, p.vn));
    b.r42 = sub_product(hn::Neg(n.e2), set(c2) * an, p.vt);
    b.r43 = sub_product(hn::Neg(n.e3), set(c2) * an, p.vu);
    b.r44 = mul_add(set(c1), an, hn::Neg(n.e4 + d));
    return b;
}

/// x − b·y
HWY_INLINE Five sub_product(const Five& x, const Coupling& b, const Five& y) {
    Five r;
    r.c[0] = sub_product(sub_product(x.c[0], b.r00, y.c[0]), b.r01, y.c[1]);
    r.c[1] = sub_product(sub_product(x.c[1], b.r10, y.c[0]), b.r11, y.c[1]);
    r.c[2] = sub_product(sub_product(x.c[2], b.r20, y.c[0]), b.r21, y.c[1]);
    r.c[3] = sub_product(sub_product(x.c[3], b.r30, y.c[0]), b.r31, y.c[1]);
    r.c[4] = sub_product(sub_product(x.c[4], b.r40, y.c[0]), b.r41, y.c[1]);
    r.c[1] = sub_product(sub_product(r.c[1], b.r12, y.c[2]), b.r13, y.c[3]);
    r.c[2] = sub_product(r.c[2], b.r22, y.c[2]);
    r.c[3] = sub_product(r.c[3], b.r33, y.c[3]);
    r.c[4] = sub_product(sub_product(r.c[4], b.r42, y.c[2]), b.r43, y.c[3]);
    r.c[1] = sub_product(r.c[1], b.r14, y.c[4]);
    r.c[4] = sub_product(r.c[4], b.r44, y.c[4]);
    return r;
}

/// A diagonal block by columns; after factor(), L below the diagonal and U above it, and the inverse pivots.
struct Diagonal {
    Five column[components];
    Vector inverse[components];
};

/// I + 2·dt·t1·(N + D)
HWY_INLINE void set_diagonal(const Primitive& p, const LineFactors& factors, Diagonal& m) {
    const Viscous n = viscous_of(p, 2.0 * factors.diffusion);
    const Vector one = set(1.0 + 2.0 * factors.diffusion_d);
    const Vector zero = hn::Zero(Lanes());
    m.column[0] = {{one, hn::Neg(n.normal * p.vn), hn::Neg(n.tangential * p.vt), hn::Neg(n.tangential * p.vu), n.e0}};
    m.column[1] = {{zero, one + n.normal, zero, zero, n.e1}};
    m.column[2] = {{zero, zero, one + n.tangential, zero, n.e2}};
    m.column[3] = {{zero, zero, zero, one + n.tangential, n.e3}};
    m.column[4] = {{zero, zero, zero, zero, one + n.e4}};
}

template <std::size_t pivot>
HWY_INLINE void eliminate_below(Diagonal& m) {
    Five& p = m.column[pivot];
    m.inverse[pivot] = set(1.0) / p.c[pivot];
    for (std::size_t r = pivot + 1; r < components; ++r)
        p.c[r] = p.c[r] * m.inverse[pivot];
    for (std::size_t c = pivot + 1; c < components; ++c)
        for (std::size_t r = pivot + 1; r < components; ++r)
            m.column[c].c[r] = sub_product(m.column[c].c[r], p.c[r], m.column[c].c[pivot]);
}

HWY_INLINE void factor(Diagonal& m) {
    eliminate_below<0>(m);
    eliminate_below<1>(m);
    eliminate_below<2>(m);
    eliminate_below<3>(m);
    eliminate_below<4>(m);
}

/// y ← M⁻¹·y for a factored M; the components before `first` are 0.
template <std::size_t first>
HWY_INLINE void solve_factored(const Diagonal& m, Five& y) {
    if constexpr (first == 0) {
        for (std::size_t r = 1; r < components; ++r)
            y.c[r] = sub_product(y.c[r], m.column[0].c[r], y.c[0]);
    }
    for (std::size_t r = 2; r < components; ++r)
        y.c[r] = sub_product(y.c[r], m.column[1].c[r], y.c[1]);
    for (std::size_t r = 3; r < components; ++r)
        y.c[r] = sub_product(y.c[r], m.column[2].c[r], y.c[2]);
    y.c[4] = sub_product(y.c[4], m.column[3].c[4], y.c[3]);

    y.c[4] = y.c[4] * m.inverse[4];
    for (std::size_t r = 0; r < 4; ++r)
        y.c[r] = sub_product(y.c[r], m.column[4].c[r], y.c[4]);
    y.c[3] = y.c[3] * m.inverse[3];
    for (std::size_t r = 0; r < 3; ++r)
        y.c[r] = sub_product(y.c[r], m.column[3].c[r], y.c[3]);
    y.c[2] = y.c[2] * m.inverse[2];
    for (std::size_t r = 0; r < 2; ++r)
        y.c[r] = sub_product(y.c[r], m.column[2].c[r], y.c[2]);
    y.c[1] = y.c[1] * m.inverse[1];
    y.c[0] = sub_product(y.c[0], m.column[1].c[0], y.c[1]) * m.inverse[0];
}

/// What elimination leaves of a point for the way back: five columns of the block above the diagonal, then the
/// right-hand side.
constexpr std::size_t kept_vectors = components * components + components;
constexpr std::size_t kept_doubles = kept_vectors * lanes;
constexpr std::size_t kept_rhs = components * components * lanes;

/// The block above the diagonal, times the inverse of the diagonal one, by columns to `kept`.
HWY_INLINE void keep_upper(const Coupling& b, const Diagonal& m, double* kept) {
    const Vector zero = hn::Zero(Lanes());
    Five column{{b.r00, b.r10, b.r20, b.r30, b.r40}};
    solve_factored<0>(m, column);
    store_five(column, kept, lanes);
    column = {{b.r01, b.r11, b.r21, b.r31, b.r41}};
    solve_factored<0>(m, column);
    store_five(column, kept + 5 * lanes, lanes);
    column = {{zero, b.r12, b.r22, zero, b.r42}};
    solve_factored<1>(m, column);
    store_five(column, kept + 10 * lanes, lanes);
    column = {{zero, b.r13, zero, b.r33, b.r43}};
    solve_factored<1>(m, column);
    store_five(column, kept + 15 * lanes, lanes);
    column = {{zero, b.r14, zero, zero, b.r44}};
    solve_factored<1>(m, column);
    store_five(column, kept + 20 * lanes, lanes);
}

/// Eliminates one point: `before` is what was kept of the point before it, `kept` what is kept of this one.
HWY_INLINE void eliminate_point(const Primitive& previous, const Primitive& here, const Primitive& next,
                                const LineFactors& factors, Five rhs, const double* before, double* kept) {
    Diagonal m;
    set_diagonal(here, factors, m);
    {
        const Coupling lower = coupling_of(previous, -factors.convection, factors);
        for (std::size_t c = 0; c < components; ++c)
            m.column[c] = sub_product(m.column[c], lower, load_five(before + c * components * lanes, lanes));
        rhs = sub_product(rhs, lower, load_five(before + kept_rhs, lanes));
    }
    factor(m);
    keep_upper(coupling_of(next, factors.convection, factors), m, kept);
    solve_factored<0>(m, rhs);
    store_five(rhs, kept + kept_rhs, lanes);
}

/// x_s = rhs_s − (block above the diagonal)·x_{s+1}
HWY_INLINE Five substitute(const double* kept, const Five& next) {
    Five x = load_five(kept + kept_rhs, lanes);
    for (std::size_t c = 0; c < components; ++c) {
        for (std::size_t r = 0; r < components; ++r)
            x.c[r] = sub_product(x.c[r], load(kept + (c * components + r) * lanes), next.c[c]);
    }
    return x;
}

class BlockTridiagonal {
public:
    explicit BlockTridiagonal(const AdiCall& call)
        : points_(call.grid.interior()),
          dt_(call.dt),
          spacing_(call.grid.points()),
          kept_(call.line_memory + batch_doubles(call.grid)) {
        for (std::size_t v = 0; v < kept_vectors; ++v)
            store(hn::Zero(Lanes()), kept_ + v * lanes);
    }

    template <std::size_t direction>
    HWY_NOINLINE void solve(const LineBatch& batch) const {
        eliminate<direction>(batch);
        substitute_back<direction>(batch);
    }

private:
    template <std::size_t direction>
    HWY_INLINE void eliminate(const LineBatch& batch) const {
        const double dt_t1 = dt_ * spacing_.t1;
        const LineFactors factors{dt_ * spacing_.t2, dt_t1, dt_t1 * diffusion[direction]};
        const auto state = [&](std::size_t s) HWY_ATTR {
            return primitive_of(load_ordered<direction>(batch.u + s * batch.step, batch.stride));
        };
        Primitive previous = state(0);  // of no effect: nothing was kept before the first point
        Primitive here = previous;
        double* kept = kept_;
        for (std::size_t s = 0; s < points_; ++s) {
            prefetch_next_batch<direction>(batch, s);
            const std::size_t after = HWY_MIN(s + 1, points_ - 1);  // what is kept above the last point is not used
            const Primitive next = state(after);
            eliminate_point(previous, here, next, factors,
                            load_ordered<direction>(batch.rhs + s * batch.step, batch.stride), kept,
                            kept + kept_doubles);
            kept += kept_doubles;
            previous = here;
            here = next;
        }
    }

    template <std::size_t direction>
    HWY_INLINE void substitute_back(const LineBatch& batch) const {
        const Vector zero = hn::Zero(Lanes());
        Five x{{zero, zero, zero, zero, zero}};
        for (std::size_t s = points_; s-- > 0;) {
            x = substitute(kept_ + (s + 1) * kept_doubles, x);
            for (std::size_t m = 0; m < components; ++m) {
                const std::size_t place = s * batch.step + line_order<direction>[m] * batch.stride;
                if constexpr (direction == 2) {
                    store(load(batch.u + place) + x.c[m], batch.u + place);
                } else {
                    store(x.c[m], batch.rhs + place);
                }
            }
        }
    }

    std::size_t points_;
    double dt_;
    Spacing spacing_;
    double* kept_;  ///< first a point of zeros, then the points of the batch at hand
};

void solve_block_planes(const AdiCall& call, Slab planes) {
    solve_planes_with(call, BlockTridiagonal(call), planes);
}

void solve_block_columns(const AdiCall& call, Slab rows) {
    solve_columns_with(call, BlockTridiagonal(call), rows);
}

}  // namespace pinwise::npb::cfd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace pinwise::npb::cfd {

HWY_EXPORT(solve_block_planes);
HWY_EXPORT(solve_block_columns);

}  // namespace pinwise::npb::cfd

namespace pinwise::npb::bt {

void solve_planes(const cfd::AdiCall& call, cfd::Slab planes) {
    using namespace cfd;
    HWY_DYNAMIC_DISPATCH(solve_block_planes)(call, planes);
}

void solve_columns(const cfd::AdiCall& call, cfd::Slab rows) {
    using namespace cfd;
    HWY_DYNAMIC_DISPATCH(solve_block_columns)(call, rows);
}

std::size_t line_doubles(const cfd::Grid& grid) {
    constexpr std::size_t kept_doubles_a_lane = cfd::components * (cfd::components + 1);
    return cfd::batch_doubles(grid) + kept_doubles_a_lane * cfd::line_doubles * (grid.interior() + 1);
}

}  // namespace pinwise::npb::bt

#endif
