// LU's step on teams of threads against over-relaxation point by point; its pipeline and its surface integral.

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "tests/unit/workloads/npb/cfd/naive_operators.hpp"
#include "workloads/npb/lu/ssor_step.hpp"
#include "workloads/npb/lu/surface_integral.hpp"

namespace pinwise::npb::lu {
namespace {

using cfd::components;
using cfd::Fields;
using cfd::Grid;
using cfd::State;
using cfd::test::at;
using cfd::test::Matrix;
using cfd::test::Point;

constexpr double dt = 0.02;

/// D of a point: I + 2·dt·Σ t1·(N + D·I).
Matrix diagonal_block(const Grid& grid, const State& u) {
    const double b = 2 * dt * cfd::Spacing(grid.points()).t1;
    Matrix sum{};
    for (std::size_t d = 0; d < 3; ++d) {
        const Matrix part = cfd::test::block(d, u, 0, b, b * cfd::diffusion[d]);
        for (std::size_t r = 0; r < components; ++r)
            for (std::size_t c = 0; c < components; ++c)
                sum[r][c] += part[r][c] + (d == 0 && r == c ? 1.0 : 0.0);
    }
    return sum;
}

State solve_block(const Matrix& m, const State& y) {
    std::vector<std::vector<double>> rows;
    for (const auto& row : m)
        rows.emplace_back(row.begin(), row.end());
    const auto x = cfd::test::solve_dense(rows, {y.begin(), y.end()});
    State result{};
    std::copy(x.begin(), x.end(), result.begin());
    return result;
}

/// One SSOR step by the definition: what u becomes.
std::vector<double> naive_step(const Fields& fields) {
    const Grid& grid = fields.grid();
    const std::size_t n = grid.points();
    const cfd::Spacing spacing(n);
    std::vector<double> u(fields.u().begin(), fields.u().end());
    std::vector<double> v(fields.rhs().begin(), fields.rhs().end());
    for (double& each : v)
        each *= dt;
    const auto relax = [&](Point p, int neighbour) {
        State sum{};
        for (std::size_t d = 0; d < 3; ++d) {
            const Point q = p.moved(d, neighbour);
            const Matrix block = cfd::test::block(d, at(grid, u, q), neighbour * dt * spacing.t2, -dt * spacing.t1,
                                                  -dt * spacing.t1 * cfd::diffusion[d]);
            const State part = cfd::test::product(block, at(grid, v, q));
            for (std::size_t m = 0; m < components; ++m)
                sum[m] += omega * part[m];
        }
        const State own = at(grid, v, p);
        State y = sum;
        if (neighbour < 0)
            for (std::size_t m = 0; m < components; ++m)
                y[m] = own[m] - sum[m];
        const State x = solve_block(diagonal_block(grid, at(grid, u, p)), y);
        for (std::size_t m = 0; m < components; ++m)
            v[grid.offset(p.k, p.j, m, p.i)] = neighbour < 0 ? x[m] : own[m] - x[m];
    };
    for (std::size_t k = 1; k + 1 < n; ++k)
        for (std::size_t j = 1; j + 1 < n; ++j)
            for (std::size_t i = 1; i + 1 < n; ++i)
                relax({i, j, k}, -1);
    for (std::size_t k = n - 2; k > 0; --k)
        for (std::size_t j = n - 2; j > 0; --j)
            for (std::size_t i = n - 2; i > 0; --i)
                relax({i, j, k}, 1);
    for (std::size_t place = 0; place < u.size(); ++place)
        u[place] += v[place] / (omega * (2.0 - omega));
    return u;
}

/// Runs `steps` steps with so many threads.
void run_steps(cfd::Workspace& workspace, int steps) {
    SsorStep step(workspace);
    workspace.residual_memory.resize(workspace.threads);
    for (std::size_t thread = 0; thread < workspace.threads; ++thread) {
        if (workspace.planes_of(thread).empty()) continue;
        workspace.residual_memory[thread].resize(cfd::right_hand_side_doubles());
        step.touch(thread);
    }
    std::vector<std::jthread> team;
    for (std::size_t thread = 0; thread < workspace.threads; ++thread)
        team.emplace_back([&, thread] {
            for (int i = 0; i < steps; ++i)
                step.step(thread);
        });
}

TEST(LuStep, is_over_relaxation_point_by_point_with_any_number_of_threads) {
    for (const std::size_t points : {12U, 21U}) {
        const auto expected = naive_step(cfd::test::wavy_fields(points));
        cfd::test::for_each_target([&] {
            for (const std::size_t threads : {1U, 2U, 3U, 7U, 23U}) {
                SCOPED_TRACE(threads);
                cfd::Workspace workspace{cfd::test::wavy_fields(points), dt, threads, 0};
                run_steps(workspace, 1);
                const Grid& grid = workspace.grid();
                for (std::size_t k = 0; k < points; ++k)
                    for (std::size_t j = 0; j < points; ++j)
                        for (std::size_t i = 0; i < points; ++i)
                            cfd::test::expect_near(at(grid, workspace.fields.u(), {i, j, k}),
                                                   at(grid, expected, {i, j, k}), 1e-12, "u", {i, j, k});
            }
        });
    }
}

TEST(LuStep, gives_the_same_bits_with_any_number_of_threads) {
    cfd::Workspace one{cfd::test::wavy_fields(20), 0.001, 1, 0};
    run_steps(one, 3);
    for (const std::size_t threads : {2U, 5U, 18U}) {
        cfd::Workspace several{cfd::test::wavy_fields(20), 0.001, threads, 100};
        run_steps(several, 3);
        EXPECT_TRUE(std::equal(one.fields.u().begin(), one.fields.u().end(), several.fields.u().begin())) << threads;
        EXPECT_TRUE(std::equal(one.fields.rhs().begin(), one.fields.rhs().end(), several.fields.rhs().begin()));
    }
}

TEST(LuStep, leaves_the_residual_of_the_new_states) {
    cfd::Workspace workspace{cfd::test::wavy_fields(12), dt, 2, 0};
    run_steps(workspace, 1);
    const Grid& grid = workspace.grid();
    for (const Point p : {Point{1, 1, 1}, Point{5, 6, 7}, Point{10, 10, 10}}) {
        State expected = cfd::test::naive_residual(grid, workspace.fields.u(), p);
        const State forcing = at(grid, workspace.fields.forcing(), p);
        for (std::size_t m = 0; m < components; ++m)
            expected[m] -= forcing[m];
        cfd::test::expect_near(at(grid, workspace.fields.rhs(), p), expected, 1e-10, "residual", p);
    }
}

TEST(LuProgress, lets_a_thread_wait_asleep_until_a_stage_is_done_and_across_the_wrap_of_the_count) {
    Progress progress(2, 0);
    const std::uint32_t near_wrap = UINT32_MAX - 1;
    progress.set_done(0, near_wrap);
    progress.await(0, near_wrap - 5);
    std::uint32_t seen = 0;
    {
        const std::jthread waiter([&] {
            progress.await(0, near_wrap + 3);
            seen = 1;
        });
        for (std::uint32_t stage = near_wrap + 1; stage != near_wrap + 4; ++stage) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            progress.set_done(0, stage);
        }
    }
    EXPECT_EQ(seen, 1U);
}

TEST(LuSurfaceIntegral, of_a_uniform_pressure_is_the_area_of_the_faces) {
    const auto fields = Fields::map(Grid(12), workloads::ThpAdvice::off).value();
    const Grid& grid = fields.grid();
    for (std::size_t k = 0; k < 12; ++k)
        for (std::size_t j = 0; j < 12; ++j)
            for (std::size_t i = 0; i < 12; ++i) {
                fields.u()[grid.offset(k, j, 0, i)] = 1.0;
                fields.u()[grid.offset(k, j, 4, i)] = 5.0;  // pressure 2
            }
    // Cells: 9 × 8 in x, y; 9 × 8 in x, z; 8 × 8 in y, z; two faces each, four corners of pressure 2, a quarter of it.
    EXPECT_NEAR(surface_integral(grid, fields.u()), 2.0 * (72 + 72 + 64) * 2.0 / (11.0 * 11.0), 1e-12);
}

TEST(LuSurfaceIntegral, of_the_initial_state_is_the_known_one) {
    const auto fields = Fields::map(Grid(12), workloads::ThpAdvice::off).value();
    cfd::fill_initial(fields.grid(), cfd::test::every_plane(fields.grid()), fields.u());
    EXPECT_NEAR(surface_integral(fields.grid(), fields.u()), 1.069467996746218e+03, 1e-9);
}

}  // namespace
}  // namespace pinwise::npb::lu
