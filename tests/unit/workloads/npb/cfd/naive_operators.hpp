#pragma once
/// The formulas of the CFD problem written down point by point and matrix by matrix, for comparison with the vector
/// code.

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "workloads/npb/cfd/field_values.hpp"
#include "workloads/npb/cfd/right_hand_side.hpp"
#include "workloads/npb/cfd/stencil.hpp"
#include "workloads/npb/cfd/workspace.hpp"

namespace pinwise::npb::cfd::test {

using Matrix = std::array<std::array<double, 5>, 5>;

struct Point {
    std::size_t i, j, k;

    [[nodiscard]] Point moved(std::size_t d, int by) const {
        Point point = *this;
        (d == 0 ? point.i : d == 1 ? point.j : point.k) += static_cast<std::size_t>(by);
        return point;
    }

    [[nodiscard]] std::size_t along(std::size_t d) const { return d == 0 ? i : d == 1 ? j : k; }
};

inline State at(const Grid& grid, std::span<const double> field, Point p) {
    State state{};
    for (std::size_t m = 0; m < components; ++m)
        state[m] = field[grid.offset(p.k, p.j, m, p.i)];
    return state;
}

/// All planes, boundary included.
inline Slab every_plane(const Grid& grid) {
    return {0, grid.points()};
}

inline Slab interior(const Grid& grid) {
    return {1, grid.points() - 1};
}

/// Fields with u = the exact solution, disturbed inside; rhs and forcing the same kind of smooth numbers inside, 0 on
/// the boundary.
inline Fields wavy_fields(std::size_t points) {
    auto fields = Fields::map(Grid(points), workloads::ThpAdvice::off).value();
    const Grid& grid = fields.grid();
    fill_exact(grid, every_plane(grid), fields.u());
    for (std::size_t k = 1; k + 1 < points; ++k)
        for (std::size_t j = 1; j + 1 < points; ++j)
            for (std::size_t i = 1; i + 1 < points; ++i)
                for (std::size_t m = 0; m < components; ++m) {
                    const double wave = std::sin(static_cast<double>(1 + i + 3 * j + 7 * k + 2 * m));
                    const std::size_t place = grid.offset(k, j, m, i);
                    fields.u()[place] *= 1.0 + 0.02 * wave;
                    fields.rhs()[place] = 0.1 * std::cos(3.0 * wave);
                    fields.forcing()[place] = 0.5 * wave * wave;
                }
    return fields;
}

struct Primitive {
    explicit Primitive(const State& u)
        : rho(u[0]),
          v{u[1] / u[0], u[2] / u[0], u[3] / u[0]},
          kinetic(0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]),
          q(kinetic / u[0]),
          energy(u[4]),
          pressure(c2 * (u[4] - kinetic)),
          sound(std::sqrt(c1 * c2 * (u[4] - kinetic) / u[0])) {}

    double rho;
    std::array<double, 3> v;
    double kinetic, q, energy, pressure, sound;
};

inline double kappa(std::size_t a, std::size_t d) {
    return a == d ? con43 : 1.0;
}

inline State convective_flux(std::size_t d, const State& u) {
    const Primitive p(u);
    State f{u[1 + d], 0, 0, 0, (c1 * u[4] - c2 * p.kinetic) * p.v[d]};
    for (std::size_t a = 0; a < 3; ++a)
        f[1 + a] = u[1 + a] * p.v[d] + (a == d ? p.pressure : 0.0);
    return f;
}

inline State viscous_potential(std::size_t d, const State& u) {
    const Primitive p(u);
    State w{0, 0, 0, 0, conz1 * p.q + con16 * p.v[d] * p.v[d] + c1c5 * p.energy / p.rho};
    for (std::size_t a = 0; a < 3; ++a)
        w[1 + a] = kappa(a, d) * p.v[a];
    return w;
}

/// R(u) at an interior point.
inline State naive_residual(const Grid& grid, std::span<const double> u, Point p) {
    const Spacing s(grid.points());
    State r{};
    for (std::size_t d = 0; d < 3; ++d) {
        const State before = at(grid, u, p.moved(d, -1));
        const State here = at(grid, u, p);
        const State after = at(grid, u, p.moved(d, 1));
        const State f_before = convective_flux(d, before);
        const State f_after = convective_flux(d, after);
        const State w_before = viscous_potential(d, before);
        const State w_here = viscous_potential(d, here);
        const State w_after = viscous_potential(d, after);
        const Stencil dissipation = dissipation_at(p.along(d), grid.points());
        for (std::size_t m = 0; m < components; ++m) {
            r[m] += -s.t2 * (f_after[m] - f_before[m]) + diffusion[d] * s.t1 * (after[m] - 2 * here[m] + before[m]) +
                    c3c4 * s.t3 * s.t3 * (w_after[m] - 2 * w_here[m] + w_before[m]);
            for (std::size_t t = 0; t < dissipation.size(); ++t) {
                if (dissipation[t] == 0) continue;  // there may be no such point
                r[m] -= dssp * dissipation[t] * at(grid, u, p.moved(d, static_cast<int>(t) - 2))[m];
            }
        }
    }
    return r;
}

/// ∂F_d/∂U
inline Matrix convective_jacobian(std::size_t d, const State& u) {
    const Primitive p(u);
    Matrix a{};
    a[0][1 + d] = 1;
    for (std::size_t r = 0; r < 3; ++r) {
        a[1 + r][0] = -p.v[r] * p.v[d] + (r == d ? c2 * p.q : 0.0);
        for (std::size_t b = 0; b < 3; ++b)
            a[1 + r][1 + b] = (r == b ? p.v[d] : 0.0) + (b == d ? p.v[r] : 0.0) - (r == d ? c2 * p.v[b] : 0.0);
        a[1 + r][4] = r == d ? c2 : 0.0;
    }
    a[4][0] = (2 * c2 * p.kinetic - c1 * p.energy) * p.v[d] / p.rho;
    for (std::size_t b = 0; b < 3; ++b)
        a[4][1 + b] = (b == d ? c1 * p.energy / p.rho - c2 * p.q : 0.0) - c2 * p.v[b] * p.v[d];
    a[4][4] = c1 * p.v[d];
    return a;
}

inline Matrix viscous_jacobian(std::size_t d, const State& u) {
    const Primitive p(u);
    Matrix n{};
    n[4][0] = -c1345 * p.energy / (p.rho * p.rho);
    for (std::size_t a = 0; a < 3; ++a) {
        const double factor = c3c4 * kappa(a, d);
        n[1 + a][0] = -factor * p.v[a] / p.rho;
        n[1 + a][1 + a] = factor / p.rho;
        n[4][0] -= (factor - c1345) * p.v[a] * p.v[a] / p.rho;
        n[4][1 + a] = (factor - c1345) * p.v[a] / p.rho;
    }
    n[4][4] = c1345 / p.rho;
    return n;
}

/// a·A + b·N + c·I at a state.
inline Matrix block(std::size_t d, const State& u, double a, double b, double c) {
    const Matrix convective = convective_jacobian(d, u);
    const Matrix viscous = viscous_jacobian(d, u);
    Matrix sum{};
    for (std::size_t r = 0; r < 5; ++r)
        for (std::size_t s = 0; s < 5; ++s)
            sum[r][s] = a * convective[r][s] + b * viscous[r][s] + (r == s ? c : 0.0);
    return sum;
}

inline State product(const Matrix& m, const State& x) {
    State y{};
    for (std::size_t r = 0; r < 5; ++r)
        for (std::size_t s = 0; s < 5; ++s)
            y[r] += m[r][s] * x[s];
    return y;
}

/// x of a·x = b by elimination with partial pivoting.
inline std::vector<double> solve_dense(std::vector<std::vector<double>> a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t p = 0; p < n; ++p) {
        std::size_t best = p;
        for (std::size_t r = p + 1; r < n; ++r)
            if (std::fabs(a[r][p]) > std::fabs(a[best][p])) best = r;
        std::swap(a[p], a[best]);
        std::swap(b[p], b[best]);
        for (std::size_t r = p + 1; r < n; ++r) {
            const double factor = a[r][p] / a[p][p];
            if (factor == 0) continue;
            for (std::size_t c = p; c < n; ++c)
                a[r][c] -= factor * a[p][c];
            b[r] -= factor * b[p];
        }
    }
    for (std::size_t r = n; r-- > 0;) {
        for (std::size_t c = r + 1; c < n; ++c)
            b[r] -= a[r][c] * b[c];
        b[r] /= a[r][r];
    }
    return b;
}

/// Has the kernels run in the vectors of one instruction set while it lives.
class ForcedTarget {
public:
    explicit ForcedTarget(std::int64_t target) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
    ForcedTarget(const ForcedTarget&) = delete;
    ForcedTarget& operator=(const ForcedTarget&) = delete;
    ~ForcedTarget() {
        hwy::SetSupportedTargetsForTest(0);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
};

/// Calls `body` once for each instruction set that is compiled in and runs here. right_hand_side.cpp's targets are
/// those of all CFD kernels.
template <class Body>
void for_each_target(const Body& body) {
    int targets = 0;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        const ForcedTarget forced(target);
        if (vector_target() != hwy::TargetName(target)) continue;  // left out in vector_targets.hpp
        SCOPED_TRACE(vector_target());
        body();
        ++targets;
    }
    EXPECT_GT(targets, 0);
}

inline void expect_near(const State& computed, const State& expected, double tolerance, const char* what, Point p) {
    for (std::size_t m = 0; m < components; ++m)
        EXPECT_NEAR(computed[m], expected[m], tolerance * (1.0 + std::fabs(expected[m])))
            << what << " component " << m << " at " << p.i << ' ' << p.j << ' ' << p.k;
}

inline void expect_relative(const State& computed, const State& expected, double tolerance) {
    for (std::size_t m = 0; m < components; ++m)
        EXPECT_LE(std::fabs(computed[m] / expected[m] - 1.0), tolerance) << m << ": " << computed[m];
}

}  // namespace pinwise::npb::cfd::test
