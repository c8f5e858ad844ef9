// How BT and SP cut the grid into batches of lines with one line in each lane, once for each instruction set.
//
// Along y and z the lanes are neighbours in x, so a batch lies in the fields as it is. Along x the lanes are neighbours
// in y: blocks of lanes × lanes values are transposed into a working area and back.
//
// A Method is a class with
//   template <std::size_t direction> void solve(const LineBatch& batch) const;
// that replaces the right-hand sides of a batch by the solutions, or, along z, adds them to the states.

#if defined(PINWISE_NPB_CFD_LINE_BATCHES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef PINWISE_NPB_CFD_LINE_BATCHES_INL_HPP
#undef PINWISE_NPB_CFD_LINE_BATCHES_INL_HPP
#else
#define PINWISE_NPB_CFD_LINE_BATCHES_INL_HPP
#endif

#include <hwy/cache_control.h>

#include "workloads/npb/cfd/adi_method.hpp"
#include "workloads/npb/cfd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::cfd::HWY_NAMESPACE {

/// The interior points of as many lines as there are lanes: component m of point s is at u + s · step + m · stride.
struct LineBatch {
    double* u;    ///< states
    double* rhs;  ///< right-hand sides, later solutions
    std::size_t step;
    std::size_t stride;
};

/// Along z, asks for the next batch's point s: each of its values is in a plane of its own, which no hardware
/// prefetcher follows.
template <std::size_t direction>
HWY_INLINE void prefetch_next_batch(const LineBatch& batch, std::size_t s) {
    if constexpr (direction == 2) {
        for (std::size_t m = 0; m < components; ++m) {
            const std::size_t at = s * batch.step + m * batch.stride + line_doubles;
            hwy::Prefetch(batch.u + at);
            hwy::Prefetch(batch.rhs + at);
        }
    }
}

/// Rows of the x-batch that begins at row j: beyond the last row it is repeated, whose right-hand side is 0.
HWY_INLINE std::size_t batch_row(const Grid& grid, std::size_t j, std::size_t lane) {
    return HWY_MIN(j + lane, grid.points() - 1);
}

/// Copies one component of the rows of an x-batch to `to` + point · step, lanes being rows.
HWY_INLINE void gather_rows(const Grid& grid, const double* plane, std::size_t j, double* to, std::size_t step) {
    for (std::size_t x = 0; x < grid.padded_interior(); x += lanes) {
        Vector rows[lanes];
        for (std::size_t lane = 0; lane < lanes; ++lane)
            rows[lane] = load(plane + batch_row(grid, j, lane) * grid.row() + x);
        transpose(rows);
        for (std::size_t lane = 0; lane < lanes; ++lane)
            store(rows[lane], to + (x + lane) * step);
    }
}

/// The way back, for the rows that are interior ones.
HWY_INLINE void scatter_rows(const Grid& grid, const double* from, std::size_t step, double* plane, std::size_t j) {
    const std::size_t rows_inside = HWY_MIN(lanes, grid.points() - 1 - j);
    for (std::size_t x = 0; x < grid.padded_interior(); x += lanes) {
        Vector rows[lanes];
        for (std::size_t lane = 0; lane < lanes; ++lane)
            rows[lane] = load(from + (x + lane) * step);
        transpose(rows);
        for (std::size_t lane = 0; lane < rows_inside; ++lane)
            store(rows[lane], plane + (j + lane) * grid.row() + x);
    }
}

template <class Method>
void solve_x(const AdiCall& call, const Method& method, std::size_t k) {
    const Grid& grid = call.grid;
    const std::size_t plane = grid.offset(k, 0) + Grid::first_interior;
    constexpr std::size_t step = 2 * components * lanes;
    const LineBatch batch{call.line_memory, call.line_memory + components * lanes, step, lanes};
    for (std::size_t j = 1; j < grid.points() - 1; j += lanes) {
        for (std::size_t m = 0; m < components; ++m) {
            gather_rows(grid, call.u + plane + m * grid.pitch(), j, batch.u + m * lanes, step);
            gather_rows(grid, call.rhs + plane + m * grid.pitch(), j, batch.rhs + m * lanes, step);
        }
        method.template solve<0>(batch);
        for (std::size_t m = 0; m < components; ++m)
            scatter_rows(grid, batch.rhs + m * lanes, step, call.rhs + plane + m * grid.pitch(), j);
    }
}

/// Batches along y of the plane k, or along z of the row j: those that begin at (k, j), `step` from point to point.
template <std::size_t direction, class Method>
HWY_INLINE void solve_across(const AdiCall& call, const Method& method, std::size_t k, std::size_t j,
                             std::size_t step) {
    const std::size_t first = call.grid.offset(k, j) + Grid::first_interior;
    for (std::size_t x = 0; x < call.grid.padded_interior(); x += lanes)
        method.template solve<direction>({call.u + first + x, call.rhs + first + x, step, call.grid.pitch()});
}

/// All lines along x, then along y, of each plane while it is in the cache.
template <class Method>
void solve_planes_with(const AdiCall& call, const Method& method, Slab planes) {
    for (std::size_t k = planes.begin; k < planes.end; ++k) {
        solve_x(call, method, k);
        solve_across<1>(call, method, k, 1, call.grid.row());
    }
}

/// All lines along z of each row j.
template <class Method>
void solve_columns_with(const AdiCall& call, const Method& method, Slab rows) {
    for (std::size_t j = rows.begin; j < rows.end; ++j)
        solve_across<2>(call, method, 1, j, call.grid.plane());
}

}  // namespace pinwise::npb::cfd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
