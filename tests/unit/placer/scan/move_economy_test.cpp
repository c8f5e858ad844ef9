#include <gtest/gtest.h>

#include "placer/scan/break_even.hpp"
#include "placer/scan/move_pacing.hpp"

namespace pinwise {
namespace {

constexpr std::uint64_t ms = 1'000'000;

TEST(BreakEven, IsTheCostOverWhatEachVisitSaves) {
    // A byte costs 1 ns to move and saves 0.1 ns a visit: ten visits.
    const MoveEconomy economy{.move_ns_per_byte = 1, .local_ns_per_byte = 0.1, .remote_over_local = 2};
    ASSERT_TRUE(pays_back_after_ns(economy, 50e6));
    EXPECT_DOUBLE_EQ(*pays_back_after_ns(economy, 50e6), 500e6);
    EXPECT_TRUE(worth_moving(economy, 50e6, 500e6 + 1));
    EXPECT_FALSE(worth_moving(economy, 50e6, 499e6));
}

TEST(BreakEven, NeverComesWhereRemoteIsNoSlower) {
    for (const double ratio : {1.0, 0.5}) {
        const MoveEconomy economy{.move_ns_per_byte = 1, .local_ns_per_byte = 0.1, .remote_over_local = ratio};
        EXPECT_FALSE(pays_back_after_ns(economy, 1));
        EXPECT_FALSE(worth_moving(economy, 1, 1e30));
    }
}

TEST(BreakEven, StartsFromTheDistances) {
    EXPECT_DOUBLE_EQ(remote_over_local(10, 21), 2.1);
    EXPECT_DOUBLE_EQ(remote_over_local(10, 10), 1);
    EXPECT_DOUBLE_EQ(remote_over_local(0, 21), 1);
    EXPECT_DOUBLE_EQ(remote_over_local(10, -1), 1);
}

TEST(Pressure, IsReadFromTheKernelsText) {
    EXPECT_EQ(some_avg10("some avg10=12.50 avg60=1.00 avg300=0.10 total=5\nfull avg10=3.00 avg60=0 total=1\n"), 12.5);
    EXPECT_EQ(some_avg10("full avg10=3.00 avg60=0\nsome avg10=0.00 avg60=0\n"), 0.0);
    for (const char* text : {"", "some", "some avg10=", "some avg10=x", "some avg10=-1", "some avg10=101",
                             "some avg10=nan", "awesome avg10=3"})
        EXPECT_FALSE(some_avg10(text)) << text;
}

PacingLimits limits() {
    return {.bytes_per_period = 1000, .period_ns = 100 * ms};
}

TEST(MovePacer, GivesAPeriodsBudgetAPeriod) {
    MovePacer pacer(limits());
    EXPECT_EQ(pacer.budget(1), 1000U);
    pacer.take(1000);
    EXPECT_EQ(pacer.budget(1), 0U);
    EXPECT_EQ(pacer.budget(1 + 50 * ms), 500U);
    pacer.take(900);  // a granule is moved whole
    EXPECT_EQ(pacer.budget(1 + 60 * ms), 0U);
    EXPECT_EQ(pacer.budget(1 + 100 * ms), 100U);
}

TEST(MovePacer, SavesOnePeriodAtMost) {
    MovePacer pacer(limits());
    pacer.budget(1);
    EXPECT_EQ(pacer.budget(1 + 100'000 * ms), 2000U);
}

TEST(MovePacer, SlowsDownWhileMemoryIsShortAndRecovers) {
    MovePacer pacer(limits());
    std::uint64_t now = 1;
    for (int i = 0; i < 20; ++i)
        pacer.observe({.stalled_percent = 50, .page_faults = 0}, now += 100 * ms);
    EXPECT_DOUBLE_EQ(pacer.pace(), 1.0 / 64);
    EXPECT_EQ(pacer.budget(now), 15U) << "a period's worth at that pace";
    pacer.observe({.stalled_percent = 0, .page_faults = 0}, now += 100 * ms);
    EXPECT_DOUBLE_EQ(pacer.pace(), 1.0 / 64 + 0.125);
    for (int i = 0; i < 20; ++i)
        pacer.observe({.stalled_percent = std::nullopt, .page_faults = 0}, now += 100 * ms);
    EXPECT_DOUBLE_EQ(pacer.pace(), 1);
}

TEST(MovePacer, SlowsDownWhenTheProgramFaultsMoreThanItUsedTo) {
    MovePacer pacer(limits());
    std::uint64_t now = 1;
    std::uint64_t faults = 0;
    for (int i = 0; i < 10; ++i)
        pacer.observe({.stalled_percent = std::nullopt, .page_faults = faults += 200}, now += 100 * ms);
    EXPECT_DOUBLE_EQ(pacer.pace(), 1);
    pacer.observe({.stalled_percent = std::nullopt, .page_faults = faults += 2000}, now += 100 * ms);
    EXPECT_DOUBLE_EQ(pacer.pace(), 0.5);
}

TEST(MovePacer, TakesAHandfulOfFaultsForNothing) {
    MovePacer pacer(limits());
    std::uint64_t now = 1;
    for (const std::uint64_t faults : {1ULL, 2ULL, 3ULL, 60ULL, 10ULL})
        pacer.observe({.stalled_percent = std::nullopt, .page_faults = faults}, now += 100 * ms);
    EXPECT_DOUBLE_EQ(pacer.pace(), 1);
}

}  // namespace
}  // namespace pinwise
