// The line solvers of BT and SP against dense systems set up point by point.

#include <gtest/gtest.h>

#include "tests/unit/workloads/npb/cfd/naive_operators.hpp"
#include "workloads/npb/bt/block_lines.hpp"
#include "workloads/npb/sp/pentadiagonal_lines.hpp"

namespace pinwise::npb::cfd {
namespace {

using test::Matrix;
using test::Point;

/// A plane with more lines than the widest vectors have lanes, and some left over.
constexpr std::size_t points = 13;
constexpr double dt = 0.02;
constexpr double tolerance = 1e-11;

/// Interior points of the line along d through (a, b), which are the other two coordinates in the order x, y, z.
std::vector<Point> line_of(std::size_t d, std::size_t a, std::size_t b) {
    std::vector<Point> line;
    for (std::size_t s = 1; s + 1 < points; ++s)
        line.push_back(d == 0 ? Point{s, a, b} : d == 1 ? Point{a, s, b} : Point{a, b, s});
    return line;
}

using LineValues = std::vector<State>;

LineValues values_of(const Grid& grid, std::span<const double> field, const std::vector<Point>& line) {
    LineValues values;
    for (const Point& p : line)
        values.push_back(test::at(grid, field, p));
    return values;
}

/// BT's system of a line, solved.
LineValues solve_blocks(std::size_t d, const LineValues& u, const LineValues& rhs) {
    const Spacing spacing(points);
    const double a = dt * spacing.t2;
    const double b = dt * spacing.t1;
    const double c = b * diffusion[d];
    const std::size_t n = u.size();
    std::vector<std::vector<double>> matrix(5 * n, std::vector<double>(5 * n));
    std::vector<double> right(5 * n);
    const auto put = [&](std::size_t row, std::size_t column, const Matrix& block) {
        for (std::size_t r = 0; r < 5; ++r)
            for (std::size_t s = 0; s < 5; ++s)
                matrix[5 * row + r][5 * column + s] = block[r][s];
    };
    for (std::size_t s = 0; s < n; ++s) {
        if (s > 0) put(s, s - 1, test::block(d, u[s - 1], -a, -b, -c));
        put(s, s, test::block(d, u[s], 0, 2 * b, 1 + 2 * c));
        if (s + 1 < n) put(s, s + 1, test::block(d, u[s + 1], a, -b, -c));
        std::copy(rhs[s].begin(), rhs[s].end(), right.begin() + static_cast<std::ptrdiff_t>(5 * s));
    }
    const auto x = test::solve_dense(matrix, right);
    LineValues solution(n);
    for (std::size_t s = 0; s < n; ++s)
        std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(5 * s), 5, solution[s].begin());
    return solution;
}

/// SP's five systems of a line, solved, still in the variables of direction d.
LineValues solve_scalars(std::size_t d, const LineValues& u, const LineValues& rhs) {
    const Spacing spacing(points);
    const std::size_t n = u.size();
    LineValues solution(n);
    for (std::size_t m = 0; m < 5; ++m) {
        const double sign = m == 3 ? 1 : m == 4 ? -1 : 0;
        std::vector<std::vector<double>> matrix(n, std::vector<double>(n));
        std::vector<double> right(n);
        const auto eigenvalue = [&](std::size_t s) {
            const test::Primitive p(u[s]);
            return dt * spacing.t2 * (p.v[d] + sign * p.sound);
        };
        const auto viscous = [&](std::size_t s) { return dt * spacing.t1 * (diffusion[d] + c1345 / u[s][0]); };
        for (std::size_t s = 0; s < n; ++s) {
            const Stencil dissipation = dissipation_at(s + 1, points);
            for (std::size_t t = 0; t < 5; ++t)
                if (s + t >= 2 && s + t - 2 < n) matrix[s][s + t - 2] += dt * dssp * dissipation[t];
            if (s > 0) matrix[s][s - 1] += -eigenvalue(s - 1) - viscous(s - 1);
            matrix[s][s] += 1 + 2 * viscous(s);
            if (s + 1 < n) matrix[s][s + 1] += eigenvalue(s + 1) - viscous(s + 1);
            right[s] = rhs[s][m];
        }
        const auto x = test::solve_dense(matrix, right);
        for (std::size_t s = 0; s < n; ++s)
            solution[s][m] = x[s];
    }
    return solution;
}

const double root_half = std::sqrt(0.5);

State after_x(const State& r) {
    const double t2 = 0.5 * (r[3] + r[4]);
    return {-r[1], r[0], root_half * (r[3] - r[4]), -root_half * r[2] + t2, root_half * r[2] + t2};
}

State after_y(const State& r) {
    const double t2 = 0.5 * (r[3] + r[4]);
    return {root_half * (r[3] - r[4]), -r[2], r[1], -root_half * r[0] + t2, root_half * r[0] + t2};
}

State after_z(const State& u, const State& r) {
    const test::Primitive p(u);
    const double t1 = root_half * p.rho / p.sound * (r[3] + r[4]);
    const double t2 = r[2] + t1;
    const double t3 = root_half * p.rho * (r[3] - r[4]);
    return {t2, -p.rho * r[1] + p.v[0] * t2, p.rho * r[0] + p.v[1] * t2, p.v[2] * t2 + t3,
            p.rho * (-p.v[0] * r[1] + p.v[1] * r[0]) + p.q * t2 + 2.5 * p.sound * p.sound * t1 + p.v[2] * t3};
}

struct Solver {
    void (*solve_planes)(const AdiCall& call, Slab planes);
    void (*solve_columns)(const AdiCall& call, Slab rows);
    std::size_t (*line_doubles)(const Grid& grid);
    LineValues (*naive)(std::size_t d, const LineValues& u, const LineValues& rhs);
    bool is_characteristic;
};

constexpr Solver blocks{bt::solve_planes, bt::solve_columns, bt::line_doubles, solve_blocks, false};
constexpr Solver scalars{sp::solve_planes, sp::solve_columns, sp::line_doubles, solve_scalars, true};

/// What the lines along x and then along y of plane k must become, by the naive solver: [y line][point].
std::vector<LineValues> naive_plane(const Solver& solver, const Fields& fields, std::size_t k) {
    const Grid& grid = fields.grid();
    std::vector<LineValues> rows;
    for (std::size_t j = 1; j + 1 < points; ++j) {
        const auto line = line_of(0, j, k);
        auto x = solver.naive(0, values_of(grid, fields.u(), line), values_of(grid, fields.rhs(), line));
        if (solver.is_characteristic) std::transform(x.begin(), x.end(), x.begin(), after_x);
        rows.push_back(x);
    }
    std::vector<LineValues> result;
    for (std::size_t i = 1; i + 1 < points; ++i) {
        LineValues rhs;
        for (const auto& row : rows)
            rhs.push_back(row[i - 1]);
        auto y = solver.naive(1, values_of(grid, fields.u(), line_of(1, i, k)), rhs);
        if (solver.is_characteristic) std::transform(y.begin(), y.end(), y.begin(), after_y);
        result.push_back(y);
    }
    return result;
}

void expect_plane_solved(const Solver& solver) {
    test::for_each_target([&] {
        const Fields fields = test::wavy_fields(points);
        const Grid& grid = fields.grid();
        ThreadMemory memory;
        memory.resize(solver.line_doubles(grid));
        constexpr std::size_t k = 5;
        const auto expected = naive_plane(solver, fields, k);
        const std::vector<double> before(fields.rhs().begin(), fields.rhs().end());
        solver.solve_planes({grid, dt, fields.u().data(), fields.rhs().data(), memory.data()}, {k, k + 1});
        for (std::size_t i = 1; i + 1 < points; ++i)
            for (std::size_t j = 1; j + 1 < points; ++j)
                test::expect_near(test::at(grid, fields.rhs(), {i, j, k}), expected[i - 1][j - 1], tolerance,
                                  "after x and y", {i, j, k});
        // Nothing else has changed: not the other planes, not the boundary.
        for (const Point p : {Point{3, 3, k - 1}, Point{3, 3, k + 1}, Point{0, 3, k}, Point{points - 1, 3, k},
                              Point{3, 0, k}, Point{3, points - 1, k}})
            EXPECT_EQ(test::at(grid, fields.rhs(), p), test::at(grid, before, p));
    });
}

void expect_columns_solved_and_added(const Solver& solver) {
    test::for_each_target([&] {
        const Fields fields = test::wavy_fields(points);
        const Grid& grid = fields.grid();
        ThreadMemory memory;
        memory.resize(solver.line_doubles(grid));
        const std::vector<double> u(fields.u().begin(), fields.u().end());
        solver.solve_columns({grid, dt, fields.u().data(), fields.rhs().data(), memory.data()}, {4, 6});
        for (const std::size_t j : {4U, 5U})
            for (std::size_t i = 1; i + 1 < points; ++i) {
                const auto line = line_of(2, i, j);
                const auto states = values_of(grid, u, line);
                const auto x = solver.naive(2, states, values_of(grid, fields.rhs(), line));
                for (std::size_t s = 0; s < line.size(); ++s) {
                    const State update = solver.is_characteristic ? after_z(states[s], x[s]) : x[s];
                    State expected = states[s];
                    for (std::size_t m = 0; m < components; ++m)
                        expected[m] += update[m];
                    test::expect_near(test::at(grid, fields.u(), line[s]), expected, tolerance, "after z", line[s]);
                }
            }
        for (const Point p : {Point{3, 3, 3}, Point{3, 6, 3}, Point{0, 4, 3}, Point{points - 1, 4, 3}, Point{3, 4, 0},
                              Point{3, 4, points - 1}})
            EXPECT_EQ(test::at(grid, fields.u(), p), test::at(grid, u, p));
    });
}

TEST(BtLines, along_x_and_y_solve_the_block_tridiagonal_systems) {
    expect_plane_solved(blocks);
}

TEST(BtLines, along_z_solve_the_systems_and_add_the_solutions) {
    expect_columns_solved_and_added(blocks);
}

TEST(SpLines, along_x_and_y_solve_the_pentadiagonal_systems_and_transform) {
    expect_plane_solved(scalars);
}

TEST(SpLines, along_z_solve_the_systems_and_add_the_solutions) {
    expect_columns_solved_and_added(scalars);
}

}  // namespace
}  // namespace pinwise::npb::cfd
