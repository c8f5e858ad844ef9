// V-cycles on a team: the norms of class S after each cycle, for any number of threads and whoever touched first.

#include "workloads/npb/mg/multigrid.hpp"

#include <gtest/gtest.h>

#include "workloads/npb/mg/problem.hpp"

namespace pinwise::npb::mg {
namespace {

constexpr std::size_t n = 32;

Solution solve_class_s(int threads, workloads::Touch touch) {
    auto team = workloads::start_team(threads).value();
    auto grids = Multigrid::allocate(n, smoother_a, team.threads.size(), workloads::ThpAdvice::off).value();
    grids.first_touch(touch);
    const Charges charges = find_charges(n, threads);
    grids.set_up(charges);
    grids.solve(team, 1);
    grids.set_up(charges);
    return grids.solve(team, 4);
}

TEST(Multigrid, gives_the_norms_of_class_s_after_every_cycle) {
    const std::vector<double> expected{2.4705294220065e-02, 2.9337960976328e-03, 6.3150017906228e-04,
                                       1.7360856792372e-04, 5.3077070057349e-05};
    for (const workloads::Touch touch : {workloads::Touch::parallel, workloads::Touch::master})
        for (const int threads : {1, 2, 3, 7, 40}) {
            const Solution solution = solve_class_s(threads, touch);
            ASSERT_EQ(solution.residual_norms.size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i)
                EXPECT_NEAR(solution.residual_norms[i] / expected[i], 1.0, 1e-12) << threads << " threads, norm " << i;
        }
}

TEST(Multigrid, times_every_cycle) {
    const Solution solution = solve_class_s(2, workloads::Touch::parallel);
    ASSERT_EQ(solution.cycle_times_s.size(), 4U);
    double sum = 0;
    for (const double time : solution.cycle_times_s) {
        EXPECT_GT(time, 0.0);
        sum += time;
    }
    EXPECT_LE(sum, solution.time_s);
}

TEST(Multigrid, tells_what_belongs_to_a_thread) {
    auto grids = Multigrid::allocate(n, smoother_a, 2, workloads::ThpAdvice::off).value();
    std::size_t bytes = 0;
    for (std::size_t thread = 0; thread < 2; ++thread)
        for (const auto& range : grids.ranges_of_thread(thread))
            bytes += range.size();
    EXPECT_EQ(bytes, 3 * n * n * n * sizeof(double));
}

TEST(Multigrid, counts_the_memory_that_it_maps) {
    std::size_t bytes = 0;
    for (const auto& [name, range] : Multigrid::allocate(n, smoother_a, 1, workloads::ThpAdvice::off)->arrays())
        bytes += range.size();
    EXPECT_NEAR(static_cast<double>(Multigrid::bytes_needed(n, 1)), static_cast<double>(bytes), 0.6 * 1024 * 1024);
    // Class A of the official code needs 432 MiB; ours has two u instead of u and r on the finest level.
    EXPECT_NEAR(static_cast<double>(Multigrid::bytes_needed(256, 1)) / (432.0 * 1024 * 1024), 1.0, 0.04);
}

TEST(MgProblem, has_the_operation_count_of_npb) {
    EXPECT_EQ(operations(problem_of(ProblemClass::a)), 58.0 * 4 * 256 * 256 * 256);
}

}  // namespace
}  // namespace pinwise::npb::mg
