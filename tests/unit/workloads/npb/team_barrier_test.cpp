// Nobody passes the barrier early, and sums do not depend on who comes first.

#include "workloads/npb/common/team_barrier.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <omp.h>

#include "workloads/common/first_touch.hpp"

namespace pinwise::npb {
namespace {

/// Every thread counts up in each round and must find all counts there after the barrier.
void expect_rounds_in_step(int threads, std::uint32_t spin_rounds) {
    TeamBarrier barrier(threads, spin_rounds);
    std::vector<int> rounds(static_cast<std::size_t>(threads));
    int wrong = 0;
    int completions = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    {
        const auto self = static_cast<std::size_t>(omp_get_thread_num());
        for (int round = 1; round <= 200; ++round) {
            rounds[self] = round;
            barrier.wait([&] { ++completions; });
            for (const int other : rounds)
                wrong += other == round ? 0 : 1;
            barrier.wait();
        }
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(completions, 200) << "one thread completes each round";
}

TEST(TeamBarrier, holds_every_thread_until_the_last_has_come) {
    for (const int threads : {1, 2, 3, 7})
        expect_rounds_in_step(threads, 100);
}

TEST(TeamBarrier, works_without_spinning_when_threads_outnumber_CPUs) {
    expect_rounds_in_step(33, 0);
}

TEST(TeamBarrier, spins_only_where_every_thread_can_have_a_CPU) {
    workloads::ThreadTeam team;
    team.threads.resize(4);
    team.allowed_cpus = {0, 1, 2, 3};
    EXPECT_GT(spin_rounds_for(team), 0U);
    team.allowed_cpus = {0, 1, 2};
    EXPECT_EQ(spin_rounds_for(team), 0U);
    setenv("OMP_WAIT_POLICY", "active", 1);
    EXPECT_EQ(spin_rounds_for(team), std::numeric_limits<std::uint32_t>::max());
    setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
    team.allowed_cpus = {0, 1, 2, 3};
    EXPECT_EQ(spin_rounds_for(team), 0U);
    unsetenv("OMP_WAIT_POLICY");
}

TEST(TeamSum, gives_all_threads_the_same_sum_in_the_order_of_the_threads) {
    constexpr int threads = 5;
    // Added in any other order these lose the small numbers or keep them differently.
    const std::vector<double> parts{1e16, 3.0, -1e16, 1.0, 0.1};
    double expected = 0;
    for (const double part : parts)
        expected += part;
    TeamSum sum(threads, 0);
    int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
    for (int round = 0; round < 100; ++round) {
        const int self = omp_get_thread_num();
        if (sum(self, parts[static_cast<std::size_t>(self)]) != expected) ++wrong;
    }
    EXPECT_EQ(wrong, 0);
}

TEST(FirstTouch, is_done_by_the_team_or_all_by_the_caller) {
    constexpr int threads = 4;
    for (const workloads::Touch touch : {workloads::Touch::parallel, workloads::Touch::master}) {
        std::vector<int> toucher(threads, -1);
        first_touch(touch, threads, [&](int thread) {
            toucher[static_cast<std::size_t>(thread)] = omp_in_parallel() != 0 ? omp_get_thread_num() : threads;
        });
        for (int thread = 0; thread < threads; ++thread)
            EXPECT_EQ(toucher[static_cast<std::size_t>(thread)],
                      touch == workloads::Touch::parallel ? thread : threads);
    }
}

}  // namespace
}  // namespace pinwise::npb
