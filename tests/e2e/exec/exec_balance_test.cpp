// `pinwise exec --balance`, and several processes of one session. What moves between nodes is shown in the lab.

#include <cstdlib>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_pinwise.hpp"

namespace pinwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ExecBalance, RunsTheProgramUnchangedAndWritesItsMoves) {
    const auto ran = run_shell("@/pinwise exec --policy llc --balance --moves - -- sh -c 'sleep 0.3; exit 7'");
    EXPECT_EQ(ran.exit_code(), 7) << ran.out;
    EXPECT_THAT(ran.out, StartsWith("time_ns,thread,pid,tid,name,home_node,from_node,to_node,cpu,reason,"));
    EXPECT_THAT(run_shell("@/pinwise exec --balance=150 --verify -- sleep 0.2").out,
                HasSubstr("pinwise: balancer: 0 moves off the busiest node, 0 home, 0 threads away at the end"));
}

TEST(ExecBalance, IsRefusedWhereItCannotMeanAnything) {
    for (const char* percent : {"99", "1001", "x", "12.5", ""}) {
        const auto ran = run_shell(std::string("@/pinwise exec --balance=") + percent + " -- true");
        if (std::string(percent).empty()) continue;  // as without a value
        EXPECT_EQ(ran.exit_code(), 2) << percent;
        EXPECT_THAT(ran.out, AllOf(StartsWith("pinwise: "), HasSubstr("percent, 100 to 1000"))) << percent;
    }
    const auto os = run_shell("@/pinwise exec --policy os --balance -- true");
    EXPECT_EQ(os.exit_code(), 2);
    EXPECT_THAT(os.out, HasSubstr("--policy os places none"));
    const auto alone = run_shell("@/pinwise exec --moves /tmp/never -- true");
    EXPECT_EQ(alone.exit_code(), 2);
    EXPECT_THAT(alone.out, HasSubstr("add --balance"));
    EXPECT_FALSE(std::filesystem::exists("/tmp/never"));
}

TEST(ExecBalance, HoldsThreadsOnTheirNode) {
    // One node here: its CPUs are all there are, so the program keeps the affinity it had.
    const auto [ran, rows] = run_exec("--policy llc --balance -- sh -c 'sleep 0.2'");
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
    ASSERT_FALSE(rows.empty());
    for (const Row& row : rows)
        EXPECT_EQ(row.at("affinity_kept"), "yes");
}

TEST(ExecProcesses, ThatAreSingleThreadedJobsGetACpuEach) {
    if (!has_cpus_0_and_1()) GTEST_SKIP() << "needs CPUs 0 and 1";
    const std::string job = "bash -c '\"'\"'end=$((SECONDS + 1)); while ((SECONDS < end)); do :; done'\"'\"' &";
    for (const char* policy : {"llc", "idlest"}) {
        const auto [ran, rows] =
            run_exec(std::string("-C 0,1 --bind cpu --policy ") + policy + " -- sh -c '" + job + job + " wait'");
        ASSERT_EQ(ran.exit_code(), 0) << ran.out;
        std::multiset<std::string> cpus;
        for (const Row& row : rows)
            if (row.at("name") == "bash") cpus.insert(row.at("asked_cpu"));
        EXPECT_EQ(cpus, (std::multiset<std::string>{"0", "1"})) << policy;
    }
}

}  // namespace
}  // namespace pinwise
