#include "workloads/npb/sp/pentadiagonal_lines.hpp"

#include "workloads/npb/cfd/stencil.hpp"
#include "workloads/npb/cfd/vector_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/npb/sp/pentadiagonal_lines.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "workloads/npb/cfd/line_batches-inl.hpp"
#include "workloads/npb/cfd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::cfd::HWY_NAMESPACE {

/// The three matrices of a line: eigenvalues w, w + c and w − c, where w is the velocity along it and c the speed of
/// sound.
constexpr std::size_t matrices = 3;

/// The matrix of each component's system.
constexpr std::size_t matrix_of[components] = {0, 0, 0, 1, 2};

/// What elimination leaves of a point for the way back: the two factors above the diagonal of each matrix, then the
/// five right-hand sides.
constexpr std::size_t kept_vectors = 2 * matrices + components;
constexpr std::size_t kept_doubles = kept_vectors * lanes;
constexpr std::size_t kept_rhs = 2 * matrices * lanes;

/// Of a point: dt·t2·w, dt·t2·c, dt·t1·μ.
struct Eigenvalues {
    Vector w;
    Vector c;
    Vector viscous;
};

/// Factors of one direction: dt·t2, dt·t1, D and dt·dssp.
struct LineFactors {
    double convection;
    double diffusion;
    double d;
    double dissipation;
};

template <std::size_t direction>
HWY_INLINE Eigenvalues eigenvalues_of(const double* from, std::size_t stride, const LineFactors& factors) {
    const Five u = load_five(from, stride);
    const Vector rho_inverse = set(1.0) / u.c[0];
    const Vector momenta = mul_add(u.c[1], u.c[1], mul_add(u.c[2], u.c[2], u.c[3] * u.c[3]));
    const Vector internal = hn::NegMulAdd(set(0.5) * momenta, rho_inverse, u.c[4]);
    Eigenvalues e;
    e.w = set(factors.convection) * (u.c[1 + direction] * rho_inverse);
    e.c = set(factors.convection) * hn::Sqrt(set(c1 * c2) * (internal * rho_inverse));
    // The largest of the viscous factors is that of the energy: D + c1c5·c3c4/ρ.
    e.viscous = set(factors.diffusion) * mul_add(set(c1345), rho_inverse, set(factors.d));
    return e;
}

/// Eliminates one point of all five systems. `kept` is where this point's factors go; those of the two points before it
/// are in front of it.
HWY_INLINE void eliminate_point(const Eigenvalues& previous, const Eigenvalues& here, const Eigenvalues& next,
                                const LineFactors& factors, const Stencil& dissipation, const Five& rhs, double* kept) {
    const double* one_before = kept - kept_doubles;
    const double* two_before = kept - 2 * kept_doubles;
    const auto dissipated = [&](std::size_t t) HWY_ATTR { return set(factors.dissipation * dissipation[t]); };
    const Vector a = dissipated(0);
    const Vector e = dissipated(4);
    const Vector diagonal = mul_add(set(2.0), here.viscous, set(1.0) + dissipated(2));
    const Vector b_middle = dissipated(1) - previous.viscous - previous.w;
    const Vector d_middle = dissipated(3) - next.viscous + next.w;
    Vector b[matrices] = {b_middle, b_middle - previous.c, b_middle + previous.c};
    Vector d[matrices] = {d_middle, d_middle + next.c, d_middle - next.c};
    Vector inverse[matrices];
    for (std::size_t i = 0; i < matrices; ++i) {
        const std::size_t at_d = 2 * i * lanes;
        const std::size_t at_e = at_d + lanes;
        b[i] = sub_product(b[i], a, load(two_before + at_d));
        const Vector without_two = sub_product(diagonal, a, load(two_before + at_e));
        inverse[i] = set(1.0) / sub_product(without_two, b[i], load(one_before + at_d));
        d[i] = sub_product(d[i], b[i], load(one_before + at_e));
        store(inverse[i] * d[i], kept + at_d);
        store(inverse[i] * e, kept + at_e);
    }
    for (std::size_t m = 0; m < components; ++m) {
        const std::size_t at = kept_rhs + m * lanes;
        const std::size_t i = matrix_of[m];
        const Vector without_two = sub_product(rhs.c[m], a, load(two_before + at));
        store(inverse[i] * sub_product(without_two, b[i], load(one_before + at)), kept + at);
    }
}

/// From the characteristic variables of x to those of y.
HWY_INLINE Five x_to_y(const Five& r) {
    const Vector bt = hn::Sqrt(set(0.5));
    const Vector t1 = bt * r.c[2];
    const Vector t2 = set(0.5) * (r.c[3] + r.c[4]);
    return {{hn::Neg(r.c[1]), r.c[0], bt * (r.c[3] - r.c[4]), t2 - t1, t2 + t1}};
}

/// From the characteristic variables of y to those of z.
HWY_INLINE Five y_to_z(const Five& r) {
    const Vector bt = hn::Sqrt(set(0.5));
    const Vector t1 = bt * r.c[0];
    const Vector t2 = set(0.5) * (r.c[3] + r.c[4]);
    return {{bt * (r.c[3] - r.c[4]), hn::Neg(r.c[2]), r.c[1], t2 - t1, t2 + t1}};
}

/// From the characteristic variables of z back to updates of the states u.
HWY_INLINE Five z_to_update(const Five& u, const Five& r) {
    const Vector rho = u.c[0];
    const Vector rho_inverse = set(1.0) / rho;
    const Vector v1 = u.c[1] * rho_inverse;
    const Vector v2 = u.c[2] * rho_inverse;
    const Vector v3 = u.c[3] * rho_inverse;
    const Vector q = set(0.5) * mul_add(v1, v1, mul_add(v2, v2, v3 * v3));
    const Vector c_squared = set(c1 * c2) * sub_product(u.c[4] * rho_inverse, set(1.0), q);
    const Vector bt_rho = hn::Sqrt(set(0.5)) * rho;
    const Vector t1 = bt_rho / hn::Sqrt(c_squared) * (r.c[3] + r.c[4]);
    const Vector t2 = r.c[2] + t1;
    const Vector t3 = bt_rho * (r.c[3] - r.c[4]);
    const Vector swirl = rho * (v2 * r.c[0] - v1 * r.c[1]);
    const Vector energy = mul_add(q, t2, mul_add(set(1.0 / c2) * c_squared, t1, mul_add(v3, t3, swirl)));
    return {{t2, mul_add(v1, t2, hn::Neg(rho * r.c[1])), mul_add(v2, t2, rho * r.c[0]), mul_add(v3, t2, t3), energy}};
}

class Pentadiagonal {
public:
    explicit Pentadiagonal(const AdiCall& call)
        : points_(call.grid.interior()),
          dt_(call.dt),
          spacing_(call.grid.points()),
          kept_(call.line_memory + batch_doubles(call.grid)) {
        for (std::size_t v = 0; v < 2 * kept_vectors; ++v)
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
        const LineFactors factors{dt_ * spacing_.t2, dt_ * spacing_.t1, diffusion[direction], dt_ * dssp};
        const auto eigenvalues = [&](std::size_t s) HWY_ATTR {
            return eigenvalues_of<direction>(batch.u + s * batch.step, batch.stride, factors);
        };
        Eigenvalues previous = eigenvalues(0);  // of no effect: nothing was kept before the first point
        Eigenvalues here = previous;
        double* kept = kept_ + 2 * kept_doubles;
        for (std::size_t s = 0; s < points_; ++s) {
            prefetch_next_batch<direction>(batch, s);
            const Eigenvalues next = eigenvalues(HWY_MIN(s + 1, points_ - 1));  // the last point's d meets a zero
            eliminate_point(previous, here, next, factors, dissipation_at(s + 1, points_ + 2),
                            load_five(batch.rhs + s * batch.step, batch.stride), kept);
            kept += kept_doubles;
            previous = here;
            here = next;
        }
    }

    template <std::size_t direction>
    HWY_INLINE void substitute_back(const LineBatch& batch) const {
        const Vector zero = hn::Zero(Lanes());
        Five one_after{{zero, zero, zero, zero, zero}};
        Five two_after = one_after;
        for (std::size_t s = points_; s-- > 0;) {
            const double* kept = kept_ + (s + 2) * kept_doubles;
            Five x = load_five(kept + kept_rhs, lanes);
            for (std::size_t m = 0; m < components; ++m) {
                const double* above = kept + 2 * matrix_of[m] * lanes;
                x.c[m] = sub_product(x.c[m], load(above + lanes), two_after.c[m]);
                x.c[m] = sub_product(x.c[m], load(above), one_after.c[m]);
            }
            two_after = one_after;
            one_after = x;
            finish_point<direction>(x, batch.u + s * batch.step, batch.rhs + s * batch.step, batch.stride);
        }
    }

    template <std::size_t direction>
    HWY_INLINE static void finish_point(const Five& x, double* u_at, double* rhs_at, std::size_t stride) {
        if constexpr (direction == 0) store_five(x_to_y(x), rhs_at, stride);
        if constexpr (direction == 1) store_five(y_to_z(x), rhs_at, stride);
        if constexpr (direction == 2) {
            Five u = load_five(u_at, stride);
            const Five update = z_to_update(u, x);
            for (std::size_t m = 0; m < components; ++m)
                u.c[m] = u.c[m] + update.c[m];
            store_five(u, u_at, stride);
        }
    }

    std::size_t points_;
    double dt_;
    Spacing spacing_;
    double* kept_;  ///< first two points of zeros, then the points of the batch at hand
};

void solve_pentadiagonal_planes(const AdiCall& call, Slab planes) {
    solve_planes_with(call, Pentadiagonal(call), planes);
}

void solve_pentadiagonal_columns(const AdiCall& call, Slab rows) {
    solve_columns_with(call, Pentadiagonal(call), rows);
}

}  // namespace pinwise::npb::cfd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace pinwise::npb::cfd {

HWY_EXPORT(solve_pentadiagonal_planes);
HWY_EXPORT(solve_pentadiagonal_columns);

}  // namespace pinwise::npb::cfd

namespace pinwise::npb::sp {

void solve_planes(const cfd::AdiCall& call, cfd::Slab planes) {
    using namespace cfd;
    HWY_DYNAMIC_DISPATCH(solve_pentadiagonal_planes)(call, planes);
}

void solve_columns(const cfd::AdiCall& call, cfd::Slab rows) {
    using namespace cfd;
    HWY_DYNAMIC_DISPATCH(solve_pentadiagonal_columns)(call, rows);
}

std::size_t line_doubles(const cfd::Grid& grid) {
    constexpr std::size_t kept_doubles_a_lane = 6 + cfd::components;
    return cfd::batch_doubles(grid) + kept_doubles_a_lane * cfd::line_doubles * (grid.interior() + 2);
}

}  // namespace pinwise::npb::sp

#endif
