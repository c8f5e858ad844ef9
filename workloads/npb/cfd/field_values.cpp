#include "workloads/npb/cfd/field_values.hpp"

#include <algorithm>
#include <cmath>

namespace pinwise::npb::cfd {

namespace {

/// Writes `value(i, j, k)` to every point of the planes and repeats a row's ends in its padding.
template <class Value>
void fill(const Grid& grid, Slab planes, std::span<double> field, const Value& value) {
    const std::size_t n = grid.points();
    for (std::size_t k = planes.begin; k < planes.end; ++k) {
        for (std::size_t j = 0; j < n; ++j) {
            double* row = field.data() + grid.offset(k, j);
            for (std::size_t i = 0; i < n; ++i) {
                const State state = value(i, j, k);
                for (std::size_t m = 0; m < components; ++m)
                    row[m * grid.pitch() + Grid::place(i)] = state[m];
            }
            for (std::size_t m = 0; m < components; ++m) {
                double* line = row + m * grid.pitch();
                std::fill(line, line + Grid::place(0), line[Grid::place(0)]);
                std::fill(line + Grid::place(n), line + grid.pitch(), line[Grid::place(n - 1)]);
            }
        }
    }
}

template <class Value>
State interior_sum(const Grid& grid, Slab slab, const Value& value) {
    const std::size_t last = grid.points() - 1;
    State sum{};
    for (std::size_t k = slab.begin; k < slab.end; ++k)
        for (std::size_t j = 1; j < last; ++j)
            for (std::size_t i = 1; i < last; ++i) {
                const State x = value(i, j, k);
                for (std::size_t m = 0; m < components; ++m)
                    sum[m] += x[m] * x[m];
            }
    return sum;
}

State state_at(const Grid& grid, std::span<const double> field, std::size_t i, std::size_t j, std::size_t k) {
    State state{};
    for (std::size_t m = 0; m < components; ++m)
        state[m] = field[grid.offset(k, j, m, i)];
    return state;
}

}  // namespace

Slab with_boundary_planes(const Grid& grid, Slab slab) {
    if (slab.empty()) return slab;
    if (slab.begin == 1) slab.begin = 0;
    if (slab.end == grid.points() - 1) slab.end = grid.points();
    return slab;
}

void fill_zero(const Grid& grid, Slab planes, std::span<double> field) {
    if (planes.empty()) return;
    const std::size_t begin = planes.begin * grid.plane();
    const std::size_t end = planes.end == grid.points() ? grid.doubles() : planes.end * grid.plane();
    std::fill(field.data() + begin, field.data() + end, 0.0);
}

void fill_exact(const Grid& grid, Slab planes, std::span<double> u) {
    const double h = Spacing(grid.points()).h;
    fill(grid, planes, u, [h](std::size_t i, std::size_t j, std::size_t k) {
        return exact_solution(static_cast<double>(i) * h, static_cast<double>(j) * h, static_cast<double>(k) * h);
    });
}

void fill_initial(const Grid& grid, Slab planes, std::span<double> u) {
    const std::size_t last = grid.points() - 1;
    const double h = Spacing(grid.points()).h;
    const auto is_boundary = [last](std::size_t s) { return s == 0 || s == last; };
    fill(grid, planes, u, [=](std::size_t i, std::size_t j, std::size_t k) {
        const double x = static_cast<double>(i) * h;
        const double y = static_cast<double>(j) * h;
        const double z = static_cast<double>(k) * h;
        return is_boundary(i) || is_boundary(j) || is_boundary(k) ? exact_solution(x, y, z) : blended_state(x, y, z);
    });
}

State sum_of_squares(const Grid& grid, Slab slab, std::span<const double> x) {
    return interior_sum(grid, slab,
                        [&](std::size_t i, std::size_t j, std::size_t k) { return state_at(grid, x, i, j, k); });
}

State sum_of_squared_errors(const Grid& grid, Slab slab, std::span<const double> u) {
    const double h = Spacing(grid.points()).h;
    return interior_sum(grid, slab, [&](std::size_t i, std::size_t j, std::size_t k) {
        State error = state_at(grid, u, i, j, k);
        const State exact =
            exact_solution(static_cast<double>(i) * h, static_cast<double>(j) * h, static_cast<double>(k) * h);
        for (std::size_t m = 0; m < components; ++m)
            error[m] -= exact[m];
        return error;
    });
}

State root_mean_square(const Grid& grid, const State& sum) {
    const auto interior = static_cast<double>(grid.interior());
    State rms{};
    for (std::size_t m = 0; m < components; ++m)
        rms[m] = std::sqrt(sum[m] / (interior * interior * interior));
    return rms;
}

}  // namespace pinwise::npb::cfd
