#include "placer/scan/scan_clock.hpp"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace pinwise {
namespace {

constexpr std::uint64_t mib = 1ULL << 20;
constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t one_gib = 1024 * mib;

ScanTunables with(Stagger stagger, bool faithful = false) {
    ScanTunables tunables;
    tunables.stagger = stagger;
    tunables.faithful = faithful;
    return tunables;
}

TEST(ScanPeriods, FollowTheResidentSize) {
    struct Row {
        std::uint64_t rss_mib, windows;
        std::uint32_t min_ms, max_ms;
    };
    for (const Row& row : {Row{0, 1, 1000, 60000}, Row{1, 1, 1000, 60000}, Row{256, 1, 1000, 60000},
                           Row{300, 2, 500, 30000}, Row{1024, 4, 250, 15000}, Row{2560, 10, 100, 6000},
                           Row{4096, 16, 100, 3750}, Row{65536, 256, 100, 234}, Row{204800, 800, 100, 100}}) {
        const ScanPeriods periods = scan_periods({}, row.rss_mib * mib);
        EXPECT_EQ(periods.windows, row.windows) << row.rss_mib;
        EXPECT_EQ(periods.min_ms, row.min_ms) << row.rss_mib;
        EXPECT_EQ(periods.max_ms, row.max_ms) << row.rss_mib;
        EXPECT_EQ(periods.start_ms, row.min_ms) << row.rss_mib;
    }
}

TEST(ScanPeriods, OfTinyAndHugeWindowsDivideNothingByZero) {
    ScanTunables tunables;
    for (const std::uint64_t window : {std::uint64_t{0}, std::uint64_t{1}, 4096 * mib, 2560 * mib}) {
        tunables.window_bytes = window;
        const ScanPeriods periods = scan_periods(tunables, one_gib);
        EXPECT_GE(periods.windows, 1U);
        EXPECT_LE(periods.min_ms, periods.max_ms);
    }
    tunables.window_bytes = 2560 * mib;
    EXPECT_EQ(scan_periods(tunables, one_gib).min_ms, 1000U);
}

TEST(Stagger, AsCodedIsTwoTicksAndAFewMicrosecondsWhateverTheNumberOfThreads) {
    for (const std::uint32_t users : {1U, 2U, 5U, 8U, 64U})
        EXPECT_EQ(stagger_delay_ns(with(Stagger::as_coded), 60000, 1000, users), 8'060'000U) << users;
}

TEST(Stagger, AsCodedFollowsTheTick) {
    ScanTunables tunables = with(Stagger::as_coded);
    for (const auto& [tick_ns, delay_ns] : {std::pair{10'000'000U, 20'060'000U}, std::pair{1'000'000U, 2'060'000U}}) {
        tunables.tick_ns = tick_ns;
        EXPECT_EQ(stagger_delay_ns(tunables, 60000, 1000, 8), delay_ns);
    }
}

TEST(Stagger, AsIntendedGrowsWithTheThreadsUpToTheLongestPeriod) {
    const ScanTunables tunables = with(Stagger::as_intended);
    EXPECT_EQ(stagger_delay_ns(tunables, 60000, 1000, 1), 1000 * ms + 8 * ms);
    EXPECT_EQ(stagger_delay_ns(tunables, 60000, 1000, 8), 8000 * ms + 8 * ms);
    EXPECT_EQ(stagger_delay_ns(tunables, 60000, 1000, 64), 60000 * ms + 8 * ms);
    EXPECT_EQ(stagger_delay_ns(tunables, 60000, 4'000'000'000U, 4'000'000'000U), 60000 * ms + 8 * ms);
}

TEST(Stagger, IsNothingBeforeIt) {
    EXPECT_EQ(stagger_delay_ns(with(Stagger::unstaggered), 60000, 1000, 64), 0U);
}

/// CPU times at which a thread that ticks every 4 ms becomes due.
std::vector<std::uint64_t> due_at_ms(ScanClock clock, const ScanTunables& tunables, std::uint64_t rss, int count) {
    std::vector<std::uint64_t> due;
    for (std::uint64_t cpu = 0; static_cast<int>(due.size()) < count; cpu += 4 * ms)
        if (clock.tick(tunables, cpu, rss)) due.push_back(cpu / ms);
    return due;
}

TEST(ScanClock, IsFirstDueAfterTheDelayAndThenEveryPeriod) {
    const ScanTunables tunables;
    EXPECT_EQ(due_at_ms(ScanClock(tunables), tunables, 256 * mib, 3), (std::vector<std::uint64_t>{1004, 2004, 3004}));
    EXPECT_EQ(due_at_ms(ScanClock(tunables), tunables, one_gib, 4),
              (std::vector<std::uint64_t>{1004, 1252, 1504, 1752}));
}

TEST(ScanClock, OfThreadsWithoutStaggerAreDueTogether) {
    const ScanTunables tunables = with(Stagger::unstaggered);
    const ScanClock creator(tunables);
    for (std::uint32_t users = 1; users < 9; ++users)
        EXPECT_EQ(due_at_ms(ScanClock::of_new_thread(tunables, creator, one_gib, users, 0), tunables, one_gib, 2),
                  (std::vector<std::uint64_t>{1004, 1252}));
}

TEST(ScanClock, OfStaggeredThreadsAreDueOneAfterTheOther) {
    const ScanTunables tunables = with(Stagger::as_intended);
    const ScanClock creator(tunables);
    for (std::uint32_t users = 1; users < 9; ++users)
        EXPECT_EQ(
            due_at_ms(ScanClock::of_new_thread(tunables, creator, 256 * mib, users, 0), tunables, 256 * mib, 1).front(),
            1000 + 1000 * users + 12);
}

TEST(ScanClock, OfAStaggeredThreadKeepsTheLongPeriodUntilItAdapts) {
    const ScanTunables tunables = with(Stagger::as_coded);
    const ScanClock creator(tunables);
    EXPECT_EQ(due_at_ms(ScanClock::of_new_thread(tunables, creator, one_gib, 4, 0), tunables, one_gib, 3),
              (std::vector<std::uint64_t>{1012, 2012, 3012}));
}

TEST(ScanClock, StandsStillWithoutCpuTime) {
    const ScanTunables tunables;
    ScanClock clock(tunables);
    for (int i = 0; i < 100; ++i)
        EXPECT_FALSE(clock.tick(tunables, 1000 * ms, 0));
    EXPECT_TRUE(clock.tick(tunables, 1000 * ms + 1, 0));
}

TEST(ScanClock, SpendsAtMostOneThirtySecondOfItsTimeScanning) {
    const ScanTunables tunables;
    ScanClock clock(tunables);
    constexpr std::uint64_t cost_ns = 100 * ms;  // far more than a period allows
    std::uint64_t scanning_ns = 0;
    std::uint64_t cpu_ns = 0;
    for (; cpu_ns < 200'000 * ms; cpu_ns += 4 * ms) {
        if (!clock.tick(tunables, cpu_ns, one_gib)) continue;
        clock.scan_begins(tunables);
        clock.charge(cost_ns);
        scanning_ns += cost_ns;
        cpu_ns += cost_ns;
    }
    EXPECT_LE(scanning_ns * 32, cpu_ns);
    EXPECT_GE(scanning_ns * 40, cpu_ns);
}

TEST(ScanClock, WinningPutsTheNextTurnTwoTicksOff) {
    const ScanTunables tunables;
    ScanClock clock(tunables);
    clock.scan_begins(tunables);
    EXPECT_EQ(clock.stamp_ns(), 8 * ms);
}

TEST(AddressSpaceClock, StartsWithTheFirstClaimAndLetsNobodyScanBeforeTheDelay) {
    AddressSpaceClock space;
    EXPECT_EQ(space.claim(5000 * ms, 250, 1000), ScanClaim::too_early);
    EXPECT_EQ(space.next_scan_ns(), 6000 * ms);
    EXPECT_EQ(space.claim(5999 * ms, 250, 1000), ScanClaim::too_early);
    EXPECT_EQ(space.claim(6000 * ms, 250, 1000), ScanClaim::won);
}

TEST(AddressSpaceClock, HasOneScanInTheWinnersPeriod) {
    AddressSpaceClock space;
    space.restart(1, 0);
    ASSERT_EQ(space.claim(1000 * ms, 250, 0), ScanClaim::won);
    EXPECT_EQ(space.claim(1000 * ms, 100, 0), ScanClaim::too_early);
    EXPECT_EQ(space.claim(1249 * ms, 100, 0), ScanClaim::too_early);
    EXPECT_EQ(space.claim(1250 * ms, 100, 0), ScanClaim::won);
    EXPECT_EQ(space.next_scan_ns(), 1350 * ms);
}

TEST(AddressSpaceClock, RestartsWhenAProcessGetsItsFirstThread) {
    AddressSpaceClock space;
    space.pass_completed();
    space.restart(7000 * ms, 1000);
    EXPECT_EQ(space.scan_seq(), 0U);
    EXPECT_EQ(space.next_scan_ns(), 8000 * ms);
}

struct Oracle {
    std::uint32_t from_ms;
    WindowFaults faults;
    std::uint32_t kernel_ms;
    std::uint32_t ours_ms;
};

WindowFaults window(std::uint64_t local, std::uint64_t remote, std::uint64_t shared, std::uint64_t priv,
                    std::uint64_t failed = 0) {
    return {.local = local, .remote = remote, .failed = failed, .shared = shared, .priv = priv};
}

TEST(Adaptation, IsLinuxsWithoutItsQuirksUnlessFaithful) {
    const std::array oracles{
        Oracle{1000, window(700, 300, 500, 500), 1100, 1100},
        Oracle{1000, window(1000, 0, 0, 1000), 1300, 1300},
        Oracle{1000, window(200, 800, 800, 200), 500, 500},
        Oracle{1000, window(300, 700, 900, 100), 600, 600},
        Oracle{1000, window(690, 310, 690, 310), 900, 900},
        Oracle{1000, window(0, 0, 0, 0), 2000, 2000},
        Oracle{250, window(100, 900, 900, 100), 250, 250},
        Oracle{1000, window(700, 300, 500, 500, 1), 2000, 2000},
        // Nothing but private faults on other nodes' pages is no reason to look less often, twice as slow in Linux.
        Oracle{1000, window(0, 1000, 0, 1000), 2000, 1300},
    };
    for (const Oracle& oracle : oracles) {
        for (const bool faithful : {true, false}) {
            const ScanTunables tunables = with(Stagger::as_intended, faithful);
            const Adaptation adapted =
                adapted_period(tunables, scan_periods(tunables, one_gib), oracle.from_ms, oracle.faults);
            EXPECT_EQ(adapted.period_ms, faithful ? oracle.kernel_ms : oracle.ours_ms)
                << oracle.from_ms << " ms, local " << oracle.faults.local << ", remote " << oracle.faults.remote;
        }
    }
}

TEST(Adaptation, NeverLeavesTheBounds) {
    const ScanTunables tunables;
    const ScanPeriods periods = scan_periods(tunables, one_gib);
    for (std::uint32_t from = periods.min_ms; from <= periods.max_ms; from += 613) {
        for (std::uint64_t local = 0; local <= 10; ++local) {
            for (std::uint64_t priv = 0; priv <= 10; ++priv) {
                const auto adapted =
                    adapted_period(tunables, periods, from, window(local, 10 - local, 10 - priv, priv));
                EXPECT_GE(adapted.period_ms, periods.min_ms);
                EXPECT_LE(adapted.period_ms, periods.max_ms);
            }
        }
    }
}

TEST(ScanClock, AdaptsOncePerPass) {
    ScanClock clock{ScanTunables{}};
    EXPECT_FALSE(clock.adaptation_due(0));
    EXPECT_TRUE(clock.adaptation_due(1));
    EXPECT_FALSE(clock.adaptation_due(1));
}

TEST(ScanClock, OfIdleMemoryHoldsTheWholeAddressSpaceBack) {
    const ScanTunables tunables;
    ScanClock clock(tunables);
    AddressSpaceClock space;
    FaultWindow faults;
    clock.adapt(tunables, faults, one_gib, space, 10'000 * ms);
    EXPECT_EQ(clock.period_ms(), 2000U);
    EXPECT_EQ(space.next_scan_ns(), 12'000 * ms);
}

TEST(ScanClock, SlowsDownOnceForAFailedMove) {
    const ScanTunables tunables;
    ScanClock clock(tunables);
    AddressSpaceClock space;
    FaultWindow faults;
    faults.count(true, true, 100);
    faults.count_failed(1);
    clock.adapt(tunables, faults, one_gib, space, 1);
    EXPECT_EQ(clock.period_ms(), 2000U);
    faults.count(false, false, 100);
    clock.adapt(tunables, faults, one_gib, space, 1);
    EXPECT_EQ(clock.period_ms(), 600U);
}

TEST(ScanClock, NeverForgetsAFailedMoveWhenFaithful) {
    const ScanTunables tunables = with(Stagger::as_coded, true);
    ScanClock clock(tunables);
    AddressSpaceClock space;
    FaultWindow faults;
    faults.count_failed(1);
    for (const std::uint32_t period : {2000U, 4000U, 8000U, 15000U, 15000U}) {
        faults.count(false, false, 100);
        clock.adapt(tunables, faults, one_gib, space, 1);
        EXPECT_EQ(clock.period_ms(), period);
    }
    EXPECT_EQ(faults.read().shared, 0U);
}

TEST(FaultWindow, KeepsWhatCameInWhileItWasRead) {
    FaultWindow faults;
    faults.count(true, false, 3);
    const WindowFaults read = faults.read();
    faults.count(false, true, 2);
    faults.subtract(read);
    const WindowFaults left = faults.read();
    EXPECT_EQ(left.local, 0U);
    EXPECT_EQ(left.shared, 0U);
    EXPECT_EQ(left.remote, 2U);
    EXPECT_EQ(left.priv, 2U);
}

TEST(ScanClock, StartsOverWhenItsThreadChangesTheNode) {
    const ScanTunables tunables;
    ScanClock clock(tunables);
    clock.changed_node(tunables, one_gib);
    EXPECT_EQ(clock.period_ms(), 250U);
}

/// Eight threads that compute side by side for `seconds`, on a clock of 4 ms; scans take no time.
std::uint64_t scans_of_a_team(const ScanTunables& tunables, std::uint64_t rss, std::uint64_t seconds) {
    AddressSpaceClock space;
    const ScanClock creator(tunables);
    space.restart(1, tunables.delay_ms);
    std::vector<ScanClock> clocks;
    for (std::uint32_t users = 1; users <= 8; ++users)
        clocks.push_back(ScanClock::of_new_thread(tunables, creator, rss, users, 0));
    std::uint64_t scans = 0;
    for (std::uint64_t now = 1; now < seconds * 1000 * ms; now += 4 * ms) {
        for (ScanClock& clock : clocks) {
            if (!clock.tick(tunables, now, rss)) continue;
            if (space.claim(now, clock.period_ms(), tunables.delay_ms) != ScanClaim::won) continue;
            clock.scan_begins(tunables);
            ++scans;
        }
    }
    return scans;
}

TEST(ScanClock, StaggeredScansLessThanUnstaggered) {
    for (const std::uint64_t rss : {one_gib, 4 * one_gib}) {
        const std::uint64_t before = scans_of_a_team(with(Stagger::unstaggered), rss, 30);
        EXPECT_LT(scans_of_a_team(with(Stagger::as_coded), rss, 30) * 3, before * 2) << rss;
        EXPECT_LT(scans_of_a_team(with(Stagger::as_intended), rss, 30) * 3, before * 2) << rss;
    }
}

}  // namespace
}  // namespace pinwise
