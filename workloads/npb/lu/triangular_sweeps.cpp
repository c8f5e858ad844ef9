#include "workloads/npb/lu/triangular_sweeps.hpp"

#include "workloads/npb/cfd/model.hpp"
#include "workloads/npb/cfd/vector_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/npb/lu/triangular_sweeps.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "workloads/npb/cfd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::lu::HWY_NAMESPACE {

using namespace cfd;
using namespace cfd::HWY_NAMESPACE;

/// Constants of a sweep. dt·t2 and dt·t1 times ω; the sign of the first is that of the convection in what is handed on.
struct Factors {
    double dt;
    double convection;
    double diffusion;
    double delta;  ///< of the diagonal block: 1 + 2·dt·t1·ΣD
    double theta;  ///< its viscous part for the momenta, times ρ
    double psi;    ///< and for the energy

    HWY_INLINE Factors(const Sweep& sweep, double sign) : dt(sweep.dt) {
        const Spacing spacing(sweep.grid.points());
        const double dt_t1 = sweep.dt * spacing.t1;
        convection = sign * omega * sweep.dt * spacing.t2;
        diffusion = omega * dt_t1;
        delta = 1.0 + 2.0 * dt_t1 * (cfd::diffusion[0] + cfd::diffusion[1] + cfd::diffusion[2]);
        theta = 2.0 * dt_t1 * c3c4 * (con43 + 2.0);
        psi = 2.0 * dt_t1 * c1345 * 3.0;
    }
};

/// Primitive variables of a point.
struct Primitive {
    Vector rho;
    Vector rho_inverse;
    Vector v[3];
    Vector q;
    Vector e;
};

HWY_INLINE Primitive primitive_of(const Five& u) {
    Primitive p;
    p.rho = u.c[0];
    p.rho_inverse = set(1.0) / u.c[0];
    for (std::size_t a = 0; a < 3; ++a)
        p.v[a] = u.c[1 + a] * p.rho_inverse;
    p.q = set(0.5) * mul_add(p.v[0], p.v[0], mul_add(p.v[1], p.v[1], p.v[2] * p.v[2]));
    p.e = u.c[4] * p.rho_inverse;
    return p;
}

/// Σ v_a·y_a
HWY_INLINE Vector along_velocity(const Primitive& p, const Vector (&y)[3]) {
    return mul_add(p.v[0], y[0], mul_add(p.v[1], y[1], p.v[2] * y[2]));
}

/// Momenta less the share that moves with the density: y_a = w_a − v_a·w_0.
HWY_INLINE void relative_momenta(const Primitive& p, const Five& w, Vector (&y)[3]) {
    for (std::size_t a = 0; a < 3; ++a)
        y[a] = sub_product(w.c[1 + a], p.v[a], w.c[0]);
}

/// x = D⁻¹·y. The diagonal block has a first column, a diagonal and a last row.
HWY_INLINE Five solve_diagonal(const Primitive& p, const Factors& f, const Five& y) {
    Five x;
    x.c[0] = set(1.0 / f.delta) * y.c[0];
    const Vector momentum_inverse = p.rho / mul_add(set(f.delta), p.rho, set(f.theta));
    const Vector energy_inverse = p.rho / mul_add(set(f.delta), p.rho, set(f.psi));
    const Vector moved = set(f.theta) * p.rho_inverse * x.c[0];
    for (std::size_t a = 0; a < 3; ++a)
        x.c[1 + a] = momentum_inverse * mul_add(p.v[a], moved, y.c[1 + a]);
    Vector relative[3];
    relative_momenta(p, x, relative);
    const Vector heat = sub_product(set(f.psi) * p.e * x.c[0], set(f.theta - f.psi), along_velocity(p, relative));
    x.c[4] = energy_inverse * mul_add(p.rho_inverse, heat, y.c[4]);
    return x;
}

/// What a point owes to its neighbours along x, y and z.
struct Handed {
    Five along[3];
};

/// ω·dt·(±t2·A + t1·N + t1·D)·w for all three directions, A and N being the Jacobians at the point.
HWY_INLINE Handed hand_on(const Primitive& p, const Factors& f, const Five& w) {
    const Vector third = set(1.0 / 3.0);
    Vector y[3];
    relative_momenta(p, w, y);
    const Vector work = along_velocity(p, y);
    const Vector pressure = set(c2 * f.convection) * (w.c[4] - mul_add(p.q, w.c[0], work));
    const Vector viscous = set(f.diffusion * c3c4) * p.rho_inverse;
    const Vector heat = sub_product(w.c[4], p.e, w.c[0]);
    const Vector energy = viscous * mul_add(set(1.0 - c1c5), work, set(c1c5) * heat);
    const Vector enthalpy = mul_add(set(c1), p.e, set(-c2) * p.q);
    const Vector carried = mul_add(set(f.convection), w.c[4], pressure);
    Vector stress[3];
    for (std::size_t a = 0; a < 3; ++a)
        stress[a] = viscous * y[a];
    Handed handed;
    for (std::size_t d = 0; d < 3; ++d) {
        Five& t = handed.along[d];
        const double own = f.diffusion * cfd::diffusion[d];
        const Vector flow = set(f.convection) * p.v[d];
        const Vector flux = set(f.convection) * y[d];
        const Vector factor = flow + set(own);
        t.c[0] = mul_add(set(f.convection), w.c[1 + d], set(own) * w.c[0]);
        for (std::size_t a = 0; a < 3; ++a)
            t.c[1 + a] = mul_add(factor, w.c[1 + a], mul_add(p.v[a], flux, stress[a]));
        const Vector normal = third * stress[d];
        t.c[1 + d] = t.c[1 + d] + (normal + pressure);
        t.c[4] = mul_add(set(own), w.c[4], mul_add(p.v[d], carried + normal, mul_add(enthalpy, flux, energy)));
    }
    return handed;
}

using LaneIndices = decltype(hn::SetTableIndices(Lanes(), static_cast<const std::int64_t*>(nullptr)));

/// Moves values by one lane, in the sweep's direction, and picks those that leave at the end.
template <bool is_forward>
class LaneShift {
public:
    HWY_INLINE LaneShift() : entering_(is_forward ? hn::FirstN(Lanes(), 1) : hn::Not(hn::FirstN(Lanes(), lanes - 1))) {
        HWY_ALIGN std::int64_t from[lanes];
        HWY_ALIGN std::int64_t last[lanes];
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t source = is_forward ? (lane == 0 ? 0 : lane - 1) : HWY_MIN(lane + 1, lanes - 1);
            from[lane] = static_cast<std::int64_t>(source);
            last[lane] = is_forward ? static_cast<std::int64_t>(lanes) - 1 : 0;
        }
        shift_ = hn::SetTableIndices(Lanes(), from);
        last_ = hn::SetTableIndices(Lanes(), last);
    }

    /// Every lane's value in the next lane, `entering` in the first.
    HWY_INLINE Vector operator()(Vector value, double entering) const {
        return hn::IfThenElse(entering_, set(entering), hn::TableLookupLanes(value, shift_));
    }

    HWY_INLINE double leaving(Vector value) const { return hn::GetLane(hn::TableLookupLanes(value, last_)); }

private:
    LaneIndices shift_;
    LaneIndices last_;
    Mask entering_;
};

/// One group of steps of a block of rows in plane k: where lane l's row has its point of the group's first step.
struct Group {
    std::size_t first_row;
    std::size_t rows_inside;
    std::size_t first_step;  ///< ≥ 1; lane l is at point first_step − l

    HWY_INLINE Group(const Sweep& sweep, std::size_t block, std::size_t group)
        : first_row(1 + block * lanes),
          rows_inside(HWY_MIN(lanes, sweep.grid.points() - 1 - first_row)),
          first_step(1 + group * lanes) {}

    /// Offset in a field; rows beyond the last are the last one.
    [[nodiscard]] HWY_INLINE std::size_t offset(const Grid& grid, std::size_t k, std::size_t lane) const {
        const std::size_t j = HWY_MIN(first_row + lane, grid.points() - 1);
        return grid.offset(k, j) + Grid::place(first_step) - lane;
    }
};

/// The group's values of a field: [component], a vector for each step. Of no meaning in lanes that are not at an
/// interior point.
using GroupValues = Vector[components][lanes];

/// Asks for the same group of the plane to come next too.
template <bool is_forward>
HWY_INLINE void load_group(const Grid& grid, const Group& group, std::size_t k, const double* field,
                           GroupValues& values) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const double* from = field + group.offset(grid, k, lane);
        const double* next = is_forward ? from + grid.plane() : from - grid.plane();
        for (std::size_t m = 0; m < components; ++m) {
            values[m][lane] = load_unaligned(from + m * grid.pitch());
            hwy::Prefetch(next + m * grid.pitch());
        }
    }
    for (auto& steps : values)
        transpose(steps);
}

/// The way back. Writes no point beyond the row's last; those before the first must be as they were, or 0 in rhs.
HWY_INLINE void store_group(const Grid& grid, const Group& group, std::size_t k, GroupValues& values, double* field) {
    for (auto& steps : values)
        transpose(steps);
    for (std::size_t lane = 0; lane < group.rows_inside; ++lane) {
        double* to = field + group.offset(grid, k, lane);
        const std::size_t end = grid.points() + lane;  // in steps
        if (group.first_step + lanes <= end) {
            for (std::size_t m = 0; m < components; ++m)
                hn::StoreU(values[m][lane], Lanes(), to + m * grid.pitch());
        } else if (group.first_step < end) {
            const Mask inside = hn::FirstN(Lanes(), end - group.first_step);
            for (std::size_t m = 0; m < components; ++m)
                hn::BlendedStore(values[m][lane], inside, Lanes(), to + m * grid.pitch());
        }
    }
}

/// A stage of one plane, in either direction.
template <bool is_forward>
class PlaneStage {
public:
    HWY_INLINE PlaneStage(const Sweep& sweep, const Stage& stage, std::size_t k, const double* received,
                          bool is_received)
        : sweep_(sweep),
          block_(stage.block),
          k_(k),
          factors_(sweep, is_forward ? 1.0 : -1.0),
          received_(received),
          is_received_(is_received),
          edge_(sweep.edges + (k - sweep.planes.begin) * sweep.cut.edge_doubles()),
          carried_(sweep.carried + (k - sweep.planes.begin) * sweep.cut.carried_doubles()) {}

    HWY_INLINE void run(const Stage& stage) {
        const bool is_first = is_forward ? stage.first_group == 0 : stage.end_group == sweep_.cut.groups;
        const bool is_first_block = is_forward ? block_ == 0 : block_ == sweep_.cut.blocks - 1;
        if (is_first && is_first_block)
            for (std::size_t x = 0; x < sweep_.cut.edge_doubles(); ++x)
                edge_[x] = 0;
        if (is_first)
            for (std::size_t x = 0; x < sweep_.cut.carried_doubles(); x += lanes)
                store(hn::Zero(Lanes()), carried_ + x);
        Five along_x = load_five(carried_, lanes);
        Five along_y = load_five(carried_ + components * lanes, lanes);
        const std::size_t count = stage.end_group - stage.first_group;
        for (std::size_t done = 0; done < count; ++done)
            run_group(is_forward ? stage.first_group + done : stage.end_group - 1 - done, along_x, along_y);
        store_five(along_x, carried_, lanes);
        store_five(along_y, carried_ + components * lanes, lanes);
    }

private:
    HWY_INLINE void run_group(std::size_t number, Five& along_x, Five& along_y) {
        const Grid& grid = sweep_.grid;
        const Group group(sweep_, block_, number);
        GroupValues u;
        GroupValues v;
        load_group<is_forward>(grid, group, k_, sweep_.u, u);
        load_group<is_forward>(grid, group, k_, sweep_.rhs, v);
        const Mask rows_inside = hn::FirstN(Lanes(), group.rows_inside);
        const Vector lane_numbers = hn::Iota(Lanes(), 0);
        const Vector last_point = set(static_cast<double>(grid.interior()));
        for (std::size_t done = 0; done < lanes; ++done) {
            const std::size_t t = is_forward ? done : lanes - 1 - done;
            const std::size_t step = group.first_step + t;
            const Vector points = set(static_cast<double>(step)) - lane_numbers;
            const Mask is_interior =
                hn::And(rows_inside, hn::And(hn::Ge(points, set(1.0)), hn::Le(points, last_point)));
            run_step(step, is_interior, t, u, v, along_x, along_y);
        }
        if constexpr (is_forward) {
            store_group(grid, group, k_, v, sweep_.rhs);
        } else {
            store_group(grid, group, k_, u, sweep_.u);
        }
    }

    HWY_INLINE void run_step(std::size_t step, Mask is_interior, std::size_t t, GroupValues& u, GroupValues& v,
                             Five& along_x, Five& along_y) {
        const std::size_t at = (block_ * sweep_.cut.steps() + step - 1) * components * lanes;
        const double* received = received_ + (is_received_ ? at : 0);
        // The edge has five numbers a point, with room for the points before the first one.
        const double* entering = edge_ + components * (is_forward ? step + lanes - 1 : step);
        double* leaving = edge_ + components * (is_forward ? step : step + lanes - 1);
        Five w;
        Five y;
        for (std::size_t m = 0; m < components; ++m) {
            w.c[m] = v[m][t];
            y.c[m] = along_x.c[m] + shift_(along_y.c[m], entering[m]) + load(received + m * lanes);
            if constexpr (is_forward) y.c[m] = mul_add(set(factors_.dt), w.c[m], y.c[m]);
        }
        const Five states{{u[0][t], u[1][t], u[2][t], u[3][t], u[4][t]}};
        const Primitive p = primitive_of(states);
        const Five x = solve_diagonal(p, factors_, y);
        for (std::size_t m = 0; m < components; ++m)
            w.c[m] = hn::IfThenElseZero(is_interior, is_forward ? x.c[m] : w.c[m] + x.c[m]);
        const Handed handed = hand_on(p, factors_, w);
        along_x = handed.along[0];
        along_y = handed.along[1];
        store_five(handed.along[2], sweep_.handed_up + at, lanes);
        for (std::size_t m = 0; m < components; ++m) {
            leaving[m] = shift_.leaving(along_y.c[m]);
            if constexpr (is_forward) {
                v[m][t] = w.c[m];
            } else {
                u[m][t] = mul_add(set(1.0 / (omega * (2.0 - omega))), w.c[m], states.c[m]);
            }
        }
    }

    const Sweep& sweep_;
    std::size_t block_;
    std::size_t k_;
    Factors factors_;
    const double* received_;
    bool is_received_;  ///< or one step of zeros
    double* edge_;
    double* carried_;
    LaneShift<is_forward> shift_;
};

template <bool is_forward>
HWY_INLINE void run_stage(const Sweep& sweep, const Stage& stage, const double* received) {
    HWY_ALIGN const double nothing[components * lanes] = {};
    for (std::size_t done = 0; done < sweep.planes.size(); ++done) {
        const std::size_t k = is_forward ? sweep.planes.begin + done : sweep.planes.end - 1 - done;
        const double* from = done == 0 ? received : sweep.handed_up;
        PlaneStage<is_forward> plane(sweep, stage, k, from == nullptr ? nothing : from, from != nullptr);
        plane.run(stage);
    }
}

void run_forward(const Sweep& sweep, const Stage& stage, const double* received) {
    run_stage<true>(sweep, stage, received);
}

void run_backward(const Sweep& sweep, const Stage& stage, const double* received) {
    run_stage<false>(sweep, stage, received);
}

std::size_t lane_count() {
    return lanes;
}

}  // namespace pinwise::npb::lu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace pinwise::npb::lu {

HWY_EXPORT(run_forward);
HWY_EXPORT(run_backward);
HWY_EXPORT(lane_count);

std::size_t block_rows() {
    return HWY_DYNAMIC_DISPATCH(lane_count)();
}

void forward_stage(const Sweep& sweep, const Stage& stage, const double* received) {
    HWY_DYNAMIC_DISPATCH(run_forward)(sweep, stage, received);
}

void backward_stage(const Sweep& sweep, const Stage& stage, const double* received) {
    HWY_DYNAMIC_DISPATCH(run_backward)(sweep, stage, received);
}

}  // namespace pinwise::npb::lu

#endif
