// Layout, shares of threads, exact and initial states, norms.

#include <cstdint>

#include <gtest/gtest.h>

#include "tests/unit/workloads/npb/cfd/naive_operators.hpp"

namespace pinwise::npb::cfd {
namespace {

using test::every_plane;

TEST(CfdGrid, begins_the_interior_on_cache_lines_and_has_odd_strides_in_lines) {
    for (std::size_t points = 5; points < 200; ++points) {
        const Grid grid(points);
        EXPECT_EQ(grid.offset(0, 0, 0, 1) % line_doubles, 0U);
        EXPECT_EQ(grid.pitch() / line_doubles % 2, 1U);
        EXPECT_EQ(grid.plane() / line_doubles % 2, 1U);
        EXPECT_EQ(grid.pitch() % line_doubles + grid.plane() % line_doubles, 0U);
        EXPECT_GE(grid.pitch(), Grid::place(points - 1) + 1);
        EXPECT_GE(grid.pitch(), Grid::first_interior + grid.padded_interior() - 1);
        EXPECT_GE(grid.plane(), points * grid.row());
    }
}

TEST(CfdGrid, gives_every_plane_to_exactly_one_thread_whatever_their_number) {
    for (const std::size_t points : {5U, 12U, 33U}) {
        const Grid grid(points);
        for (const std::size_t threads : {1U, 2U, 3U, 7U, 31U, 4096U}) {
            std::vector<int> owners(points);
            std::size_t largest = 0;
            std::size_t smallest = points;
            for (std::size_t thread = 0; thread < threads; ++thread) {
                const Slab planes = slab_of(grid, thread, threads);
                EXPECT_EQ(planes.empty(), thread >= active_threads(grid, threads));
                if (planes.empty()) continue;
                largest = std::max(largest, planes.size());
                smallest = std::min(smallest, planes.size());
                const Slab with_boundary = with_boundary_planes(grid, planes);
                for (std::size_t k = with_boundary.begin; k < with_boundary.end; ++k)
                    ++owners[k];
            }
            EXPECT_EQ(owners, std::vector<int>(points, 1)) << threads;
            EXPECT_LE(largest, smallest + 1);
        }
    }
}

TEST(CfdModel, has_the_exact_solution_of_the_corners) {
    EXPECT_EQ(exact_solution(0, 0, 0), (State{2, 1, 2, 2, 5}));
    const State far = exact_solution(1, 1, 1);
    const State sums{15.76, 8.26, 10.32, 9.72, 15.52};  // of each component's coefficients
    for (std::size_t m = 0; m < far.size(); ++m)
        EXPECT_NEAR(far[m], sums[m], 1e-12);
}

TEST(CfdFields, do_not_overlap_and_do_not_share_cache_sets) {
    const auto fields = Fields::map(Grid(12), workloads::ThpAdvice::off).value();
    const auto u = reinterpret_cast<std::uintptr_t>(fields.u().data());
    const auto rhs = reinterpret_cast<std::uintptr_t>(fields.rhs().data());
    const auto forcing = reinterpret_cast<std::uintptr_t>(fields.forcing().data());
    EXPECT_GE(rhs, u + fields.u().size_bytes());
    EXPECT_GE(forcing, rhs + fields.rhs().size_bytes());
    EXPECT_LE(forcing + fields.forcing().size_bytes(), u + fields.mapping().bytes().size());
    EXPECT_EQ(u % 64 + rhs % 64 + forcing % 64, 0U);
    EXPECT_NE((rhs - u) % 4096, 0U);
    EXPECT_NE((forcing - u) % 4096, 0U);
}

TEST(CfdFields, are_filled_with_valid_states_in_the_padding_too) {
    const auto fields = Fields::map(Grid(12), workloads::ThpAdvice::off).value();
    const Grid& grid = fields.grid();
    fill_initial(grid, every_plane(grid), fields.u());
    for (std::size_t k = 0; k < 12; ++k)
        for (std::size_t j = 0; j < 12; ++j)
            for (std::size_t place = 0; place < grid.pitch(); ++place)
                EXPECT_GT(fields.u()[grid.offset(k, j) + place], 0.0);
    const State corner = test::at(grid, fields.u(), {11, 11, 11});
    const State exact = exact_solution(1, 1, 1);
    for (std::size_t m = 0; m < exact.size(); ++m)
        EXPECT_NEAR(corner[m], exact[m], 1e-12);
}

TEST(CfdFields, have_the_error_norms_of_the_initial_state) {
    const auto fields = Fields::map(Grid(12), workloads::ThpAdvice::off).value();
    const Grid& grid = fields.grid();
    fill_initial(grid, every_plane(grid), fields.u());
    const State rms = root_mean_square(grid, sum_of_squared_errors(grid, test::interior(grid), fields.u()));
    test::expect_relative(rms,
                          {4.931945014521755e+02, 4.220588985283731e+01, 1.247330802657323e+02, 1.083532227073640e+02,
                           8.928024111872480e+02},
                          1e-12);
    fill_exact(grid, every_plane(grid), fields.u());
    EXPECT_EQ(sum_of_squared_errors(grid, test::interior(grid), fields.u()), State{});
}

TEST(CfdFields, sum_squares_over_the_interior_only) {
    const auto fields = Fields::map(Grid(9), workloads::ThpAdvice::off).value();
    const Grid& grid = fields.grid();
    std::fill(fields.rhs().begin(), fields.rhs().end(), 2.0);
    const State rms = root_mean_square(grid, sum_of_squares(grid, test::interior(grid), fields.rhs()));
    for (const double each : rms)
        EXPECT_DOUBLE_EQ(each, 2.0);
}

}  // namespace
}  // namespace pinwise::npb::cfd
