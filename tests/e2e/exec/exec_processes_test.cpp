// Several processes in one session, and programs that leave it.

#include <csignal>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_pinwise.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

std::set<std::string> pids_of(const std::vector<Row>& rows) {
    std::set<std::string> pids;
    for (const Row& row : rows)
        pids.insert(row.at("pid"));
    return pids;
}

TEST(ExecProcesses, ForkIntoTheSessionWhileOthersCreateThreads) {
    const auto [ran, rows] = run_exec("-- timeout 60 @/probe_processes forks");
    EXPECT_EQ(ran.out, "failed 0\n");
    EXPECT_GE(pids_of(rows).size(), 21U);
}

TEST(ExecProcesses, KeepTheirRecordAcrossExec) {
    const auto [ran, rows] = run_exec("-- @/probe_processes exec");
    EXPECT_EQ(ran.exit_code(), 0);
    ASSERT_EQ(rows.size(), 3U) << "the process once, and a thread of each image";
    EXPECT_EQ(pids_of(rows).size(), 1U);
    EXPECT_NE(rows[0].at("ended_ns"), "");
}

TEST(ExecProcesses, OfAShellScriptAllJoin) {
    const auto [ran, rows] = run_exec("-- sh -c '@/probe_processes thread; @/probe_processes thread & wait; true'");
    EXPECT_EQ(ran.exit_code(), 0);
    EXPECT_GE(pids_of(rows).size(), 3U);
    int threads = 0;
    for (const Row& row : rows)
        threads += row.at("pid") != row.at("tid") ? 1 : 0;
    EXPECT_EQ(threads, 2);
}

TEST(ExecProcesses, ThatAreKilledDoNotStopTheirSiblings) {
    const auto [ran, rows] = run_exec("-- timeout 60 @/probe_processes killed");
    EXPECT_EQ(ran.out, "sibling 0\n");
    EXPECT_EQ(ran.exit_code(), 0);
}

TEST(ExecProcesses, ThatClearTheirEnvironmentRunOnUnplaced) {
    const auto [ran, rows] = run_exec("-- @/probe_processes clearenv");
    EXPECT_EQ(ran.exit_code(), 0);
    EXPECT_EQ(rows.size(), 1U);
}

TEST(ExecProcesses, KeepAnAffinitySetBetweenForkAndExec) {
    const auto [ran, rows] = run_exec("-- taskset -c 0 @/probe_threads first");
    EXPECT_THAT(ran.out, HasSubstr("threads 0 0 0 0"));
}

TEST(ExecProcesses, KeepWhatIsPreloadedAlready) {
    const auto ran = run_shell(
        "export LD_PRELOAD=libm.so.6 ASAN_OPTIONS=verify_asan_link_order=0; exec @/pinwise exec -- sh -c 'echo "
        "$LD_PRELOAD; grep -c libm.so "
        "/proc/self/maps'");
    EXPECT_THAT(ran.out, HasSubstr("/libpinwise-agent.so:libm.so.6\n"));
    EXPECT_EQ(ran.out.find("\n0\n"), std::string::npos);
}

TEST(ExecProcesses, OutliveAnAddressThatLeadsNowhere) {
    const std::string preload = "LD_PRELOAD=@/../lib/libpinwise-agent.so PINWISE_SESSION=";
    for (const char* address : {"1/0/1", "999999999/3/ff", "nonsense", "''"}) {
        const auto ran = run_shell(preload + address + " @/probe_processes thread");
        EXPECT_EQ(ran.exit_code(), 0) << address;
        EXPECT_EQ(ran.out, "") << address;
    }
    EXPECT_THAT(run_shell(preload + "nonsense PINWISE_AGENT_DEBUG=1 @/probe_processes thread").out,
                HasSubstr("cannot be understood"));
}

}  // namespace
}  // namespace pinwise
