// Page-migration scanning in real programs. On a machine with one node nothing can move, but everything else is the
// same:
// --scan-anyway arms memory and takes the faults.

#include <csignal>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_pinwise.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Scans as often as can be: programs of a test are short.
const std::string eagerly =
    "--scan staggered --scan-anyway --scan-granule 64K --scan-size 8 --scan-delay 1 --scan-period-min 1 ";

std::uint64_t sum(const std::vector<Row>& rows, const std::string& column) {
    std::uint64_t total = 0;
    for (const Row& row : rows)
        total += std::stoull(row.at(column).empty() ? "0" : row.at(column));
    return total;
}

TEST(ExecScan, TortureEndsWithTheSameOutputAndStatusAsWithout) {
    std::uint64_t faults = 0;
    for (int seed = 1; seed <= 24; ++seed) {
        const std::string program = fmt::format("@/probe_memory_torture {} 12 2>/dev/null", seed);
        const Ran alone = run_shell("exec " + program);
        const auto [scanned, rows] = run_exec(eagerly + "-- " + program);
        EXPECT_EQ(scanned.out, alone.out) << "seed " << seed;
        EXPECT_EQ(scanned.status & 0xff7f, alone.status & 0xff7f) << "seed " << seed;
        faults += sum(rows, "hint_faults");
    }
    EXPECT_GT(faults, 0U) << "nothing was ever armed and touched";
}

TEST(ExecScan, TheHandlerAndTheTableWorkUnstaggeredToo) {
    const auto [ran, rows] = run_exec(
        "--scan unstaggered --scan-anyway --scan-size 64 --scan-delay 1 --scan-period-min 1 --verify -- "
        "@/probe_scan sum 3 400");
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("pinwise: scan unstaggered: scanning; "));
    EXPECT_GT(sum(rows, "hint_faults"), 0U);
    EXPECT_GT(sum(rows, "scans"), 0U);
    EXPECT_GT(sum(rows, "scan_system_ns"), 0U);
    EXPECT_EQ(rows.at(0).at("scan_state"), "scanning");
}

TEST(ExecScan, UninitialisedVariablesAreScannedToo) {
    const auto [ran, rows] = run_exec(eagerly + "-- @/probe_scan static 1 200");
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
    EXPECT_GT(sum(rows, "hint_faults"), 0U);
}

TEST(ExecScan, CountersOutliveAProgramThatIsKilled) {
    const auto [ran, rows] = run_exec(eagerly + "-- @/probe_scan kill 1 200");
    EXPECT_TRUE(WIFSIGNALED(ran.status) || ran.exit_code() == 128 + SIGKILL);
    EXPECT_GT(sum(rows, "hint_faults"), 0U);
}

TEST(ExecScan, NoOtherThreadsOrTimersAreSeenByTheProgram) {
    EXPECT_EQ(run_shell("@/pinwise exec " + eagerly + "-- @/probe_scan threads").out, "1 threads\n");
}

TEST(ExecScan, SleepsAndWaitsAreNotInterrupted) {
    const auto [ran, rows] = run_exec(eagerly + "-- @/probe_scan sleeps 1 300");
    EXPECT_EQ(ran.out, "not interrupted\n");
    EXPECT_GT(sum(rows, "scans"), 0U);
}

TEST(ExecScan, ReadOnlyMemoryStaysReadOnly) {
    const auto [ran, rows] = run_exec(eagerly + "-- @/probe_scan readonly 1 200");
    EXPECT_EQ(ran.out, "refused\n") << "a write to memory that was armed and opened";
    EXPECT_GT(sum(rows, "hint_faults"), 0U);
}

TEST(ExecScan, MachineOfOneNodeIsSaidAndNotScanned) {
    if (run_shell("ls -d /sys/devices/system/node/node[0-9]* | wc -l").out != "1\n") GTEST_SKIP() << "several nodes";
    const auto [ran, rows] = run_exec("--scan staggered -- @/probe_scan sum 1 50");
    EXPECT_EQ(ran.exit_code(), 0);
    EXPECT_THAT(ran.out, HasSubstr("pinwise: --scan staggered: one-node: "));
    EXPECT_EQ(rows.at(0).at("scan_state"), "one-node");
    EXPECT_EQ(rows.at(0).at("hint_faults"), "0");
}

TEST(ExecScan, LockedMemoryIsLeftAlone) {
    const auto [ran, rows] = run_exec(eagerly + "-- @/probe_scan locked 1 100");
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
    // Before it locks its memory a granule or two may be armed; otherwise hundreds are.
    EXPECT_LE(sum(rows, "hint_faults"), 2U);
    EXPECT_EQ(rows.at(0).at("scan_state"), "memory-locked");
}

TEST(ExecScan, ProgramHasItsMappingsThoughSomeAreArmed) {
    const int alone = std::stoi(run_shell("@/probe_scan mappings 1 100").out);
    const auto [ran, rows] = run_exec(eagerly + "-- @/probe_scan mappings 1 100");
    EXPECT_GT(sum(rows, "hint_faults"), 0U);
    // The agent's libraries are some. Armed granules would be 256.
    EXPECT_GT(std::stoi(ran.out), alone - 64) << ran.out;
}

TEST(ExecScan, SandboxEndsScanningBeforeItsFilterKills) {
    if (run_shell("@/probe_scan sandbox 1 10").out != "in the sandbox\n") GTEST_SKIP() << "no system call filters here";
    const auto [ran, rows] = run_exec(eagerly + "-- @/probe_scan sandbox 1 100");
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("in the sandbox\n"));
    EXPECT_GT(sum(rows, "hint_faults"), 0U);
    EXPECT_EQ(rows.at(0).at("scan_state"), "sandboxed");
}

TEST(ExecScan, WhatAContainerForbidsIsAState) {
    if (run_shell("@/probe_scan no_timer 1 10").exit_code() != 0) GTEST_SKIP() << "no system call filters here";
    for (const auto& [what, state] : {std::pair{"no_mincore", "denied(EPERM)"}, std::pair{"no_timer", "no-timer"}}) {
        const auto [ran, rows] = run_exec(eagerly + "-- @/probe_scan " + what + " 1 0");
        EXPECT_EQ(ran.exit_code(), 0) << ran.out;
        EXPECT_EQ(rows.at(0).at("scan_state"), state) << ran.out;
    }
}

TEST(ExecScan, WithoutItNothingIsCountedAndTheCellsAreEmpty) {
    const auto [ran, rows] = run_exec("--verify -- @/probe_scan sum 1 20");
    EXPECT_THAT(ran.out, Not(HasSubstr("pinwise: scan")));
    EXPECT_EQ(rows.at(0).at("scan_state"), "");
    EXPECT_EQ(rows.at(0).at("hint_faults"), "");
}

TEST(ExecScan, MistakesAreOneLineAndNothingIsRun) {
    const auto mistake = [](const std::string& options, const std::string& text) {
        const Ran ran = run_shell("@/pinwise exec " + options + " -- echo started");
        EXPECT_EQ(ran.exit_code(), 2) << options;
        EXPECT_THAT(ran.out, HasSubstr(text)) << options;
        EXPECT_THAT(ran.out, Not(HasSubstr("started"))) << options;
    };
    mistake("--scan stagered", "staggered");
    mistake("--scan staggered --scan-granule 100K", "power of two");
    mistake("--scan staggered --scan-granule 4M", "power of two");
    mistake("--scan staggered --scan-horizon 0", "positive");
    mistake("--scan staggered --scan-period-min 100 --scan-period-max 10", "longer than the longest");
    mistake("--scan staggered --attach ptrace", "from inside a program only");
    mistake("--scan staggered --mem interleave", "against each other");
}

TEST(ExecScan, HelpTellsTheHazard) {
    EXPECT_THAT(run_shell("@/pinwise exec --help").out, HasSubstr("EFAULT"));
}

}  // namespace
}  // namespace pinwise
