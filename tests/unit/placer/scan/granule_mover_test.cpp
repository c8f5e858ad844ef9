// From a wish to the move, over simulated pages of a machine with several nodes.

#include "placer/scan/granule_mover.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "simulated_pages.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

constexpr std::size_t granule = 64U << 10;
constexpr std::uintptr_t base = 1U << 30;
constexpr std::uint64_t second_ns = 1'000'000'000;

struct Fixture {
    std::unique_ptr<SharedScan> shared = std::make_unique<SharedScan>();
    SimulatedPages pages;
    std::unique_ptr<GranuleMover> mover;
    FaultWindow faults;
    std::uint64_t now_ns = second_ns;

    explicit Fixture(double horizon_s = 10) {
        shared->settings.granule_bytes = granule;
        shared->settings.horizon_s = horizon_s;
        shared->local_ns_per_byte = 0.1;
        pages.fill(base, 64 * granule, 0);
        mover = std::make_unique<GranuleMover>(*shared, test::load(test::zen3_nps1), pages);
    }
    void wish(std::size_t number, int to = 1, double revisit_ns = 1e6) const {
        const std::uintptr_t begin = base + number * granule;
        mover->wish({.granule = {begin, begin + granule}, .from = 0, .to = to, .thread = 7, .revisit_ns = revisit_ns});
    }
    void drain() {
        mover->drain(now_ns, faults);
        now_ns += second_ns;
    }
    [[nodiscard]] std::uint64_t counted(ScanCounter counter) const { return shared->counters.read()[counter]; }
};

TEST(GranuleMover, MovesWhatWasWishedAndCountsEveryPage) {
    Fixture fixture;
    for (std::size_t i = 0; i < 8; ++i)
        fixture.wish(i);
    fixture.drain();
    EXPECT_EQ(fixture.pages.pages_on(1), 8 * granule / 4096);
    EXPECT_EQ(fixture.counted(ScanCounter::numa_pages_migrated), 8 * granule / 4096);
    EXPECT_EQ(fixture.counted(ScanCounter::move_bytes), 8 * granule);
    fixture.drain();
    EXPECT_EQ(fixture.counted(ScanCounter::numa_pages_migrated), 8 * granule / 4096) << "counted once";
}

TEST(GranuleMover, ABatchIsReadyWhenTwoMebibytesWait) {
    Fixture fixture;
    for (std::size_t i = 0; i < 31; ++i)
        fixture.wish(i);
    EXPECT_FALSE(fixture.mover->batch_is_ready());
    fixture.wish(31);
    EXPECT_TRUE(fixture.mover->batch_is_ready());
    fixture.drain();
    EXPECT_FALSE(fixture.mover->batch_is_ready());
}

TEST(GranuleMover, WhatDoesNotPayBackWithinTheHorizonIsNotMoved) {
    Fixture fixture(0.5);
    fixture.wish(0);
    fixture.drain();  // on trust: now it knows what a move costs
    fixture.wish(1, 1, 1e18);
    fixture.drain();
    EXPECT_EQ(fixture.counted(ScanCounter::moves_not_worth), 1U);
    EXPECT_EQ(fixture.pages.pages_on(1), granule / 4096);
}

TEST(GranuleMover, NodesThatTheMachineDoesNotHaveAreNoTarget) {
    Fixture fixture;
    fixture.wish(0, 5);
    EXPECT_EQ(fixture.counted(ScanCounter::moves_not_worth), 1U);
}

TEST(GranuleMover, FailuresAreCountedByReasonAndToldToTheThread) {
    Fixture fixture;
    fixture.pages.shared.insert(base / 4096);
    fixture.wish(0);
    fixture.drain();
    EXPECT_EQ(fixture.shared->move_failures[EACCES].load(), 1U);
    EXPECT_EQ(fixture.counted(ScanCounter::move_pages_failed), 1U);
    EXPECT_EQ(fixture.faults.read().failed, 1U);
}

TEST(GranuleMover, ARefusalIsAStateAndNothingMoreIsAsked) {
    Fixture fixture;
    fixture.pages.refuses = EPERM;
    fixture.wish(0);
    fixture.drain();
    EXPECT_EQ(fixture.mover->state(), MoverState::denied);
    EXPECT_EQ(state_of(fixture.mover->state()), ScanState::denied);
}

TEST(GranuleMover, AFullQueueDropsAndCounts) {
    Fixture fixture;
    for (std::size_t i = 0; i < 1030; ++i)
        fixture.wish(i % 64);
    EXPECT_EQ(fixture.counted(ScanCounter::moves_dropped), 6U);
}

TEST(GranuleMover, TheChildOfAForkStartsWithEmptyQueues) {
    Fixture fixture;
    fixture.wish(0);
    fixture.mover->after_fork_in_child();
    fixture.drain();
    EXPECT_EQ(fixture.pages.pages_on(1), 0U);
}

}  // namespace
}  // namespace pinwise
