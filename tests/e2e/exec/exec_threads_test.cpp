// Threads of one program, through the command line.

#include <algorithm>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_pinwise.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

class ExecThreads : public testing::Test {
protected:
    void SetUp() override {
        if (!has_cpus_0_and_1()) GTEST_SKIP() << "needs CPUs 0 and 1";
    }
};

TEST_F(ExecThreads, AreOnTheirCpuBeforeTheirFirstInstruction) {
    for (int round = 0; round < 5; ++round) {
        const auto [ran, rows] = run_exec("--policy explicit:1,0 --bind cpu -- @/probe_threads first");
        EXPECT_EQ(ran.out, "main 1 threads 0 1 0 1\n");
        ASSERT_EQ(rows.size(), 5U);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string cpu = i % 2 == 0 ? "1" : "0";
            Row row = rows[i];
            EXPECT_EQ(row["thread"], std::to_string(i));
            EXPECT_EQ(row["asked_cpu"], cpu);
            EXPECT_EQ(row["got_cpu"], cpu);
            EXPECT_EQ(row["got_cpus"], "1");
            EXPECT_EQ(row["first_cpu"], cpu);
            EXPECT_EQ(row["first_cpu_means"], "agent");
            EXPECT_EQ(row["last_cpu"], cpu);
            EXPECT_EQ(row["migrations"], "0");
            EXPECT_EQ(row["affinity_kept"], "yes");
            EXPECT_EQ(row["alive"], "no");
            EXPECT_NE(row["ended_ns"], "");
        }
    }
}

TEST_F(ExecThreads, MayMoveAgainUnderBindInitial) {
    const auto [ran, rows] = run_exec("--policy explicit:1 -- sh -c 'grep Cpus_allowed_list /proc/self/status'");
    EXPECT_THAT(ran.out, HasSubstr("0-1"));
    const auto bound = run_exec("--policy explicit:1 --bind cpu -- sh -c 'grep Cpus_allowed_list /proc/self/status'");
    EXPECT_EQ(bound.ran.out, "Cpus_allowed_list:\t1\n");
}

TEST_F(ExecThreads, ThatAreBoundSeeTheMaskTheyWouldHaveWithoutUs) {
    EXPECT_EQ(run_exec("--policy explicit:1 --bind cpu -- nproc").ran.out, "2\n");
    EXPECT_EQ(run_exec("-C 1 --bind cpu -- nproc").ran.out, "1\n");
    // An OpenMP program without a thread count takes as many threads as it sees CPUs.
    EXPECT_THAT(run_exec("--bind cpu -- env -u OMP_NUM_THREADS @/pinwise-stream --size 1000 --ntimes 2").ran.out,
                HasSubstr("Threads:  2"));
    // What the program sets itself is what it sees.
    EXPECT_EQ(run_exec("--policy explicit:1 --bind cpu -- taskset -c 0 nproc").ran.out, "1\n");
}

TEST_F(ExecThreads, StayOnTheCpusOfTheList) {
    for (const std::string cpu : {"0", "1"}) {
        const auto [ran, rows] = run_exec("-C " + cpu + " -- @/probe_threads first");
        EXPECT_EQ(ran.out, "main " + cpu + " threads " + cpu + " " + cpu + " " + cpu + " " + cpu + "\n");
    }
}

TEST_F(ExecThreads, AreOnlyRecordedUnderPolicyOs) {
    const auto [ran, rows] = run_exec("--policy os -- @/probe_threads first");
    ASSERT_EQ(rows.size(), 5U);
    for (Row row : rows) {
        EXPECT_EQ(row["asked_cpu"], "");
        EXPECT_EQ(row["first_cpu_means"], "getcpu");
        EXPECT_EQ(row["got_cpus"], rows[0].at("got_cpus"));
        EXPECT_NE(row["first_cpu"], "");
    }
}

TEST_F(ExecThreads, OfOpenMpAreFollowed) {
    const auto [ran, rows] = run_exec("--policy explicit:0,1,0,1 --bind cpu -- env OMP_PROC_BIND=false @/probe_openmp");
    ASSERT_EQ(rows.size(), 4U);
    for (const char* line : {"0 0\n", "1 1\n", "2 0\n", "3 1\n"})
        EXPECT_THAT(ran.out, HasSubstr(line));
    EXPECT_EQ(rows[3].at("name"), "probe_openmp");
}

TEST_F(ExecThreads, KeepTheAttributesOfTheProgram) {
    const auto [ran, rows] = run_exec("-- @/probe_threads attributes");
    EXPECT_EQ(ran.out, "stack 1048576 detached 1 blocked 1\nstack 1048576 detached 1 blocked 1\nsmallest stack 1\n");
    EXPECT_EQ(rows.size(), 4U);
}

TEST_F(ExecThreads, KeepAnAffinityOfTheProgram) {
    for (const std::string cpu : {"0", "1"}) {
        auto [ran, rows] =
            run_exec("--policy explicit:" + cpu + " -- @/probe_threads affinity " + (cpu == "0" ? "1" : "0"));
        EXPECT_EQ(ran.out, cpu == "0" ? "cpu 1\n" : "cpu 0\n");
        ASSERT_EQ(rows.size(), 2U);
        EXPECT_EQ(rows[1]["asked_cpu"], "");
        EXPECT_EQ(rows[1]["got_cpu"], cpu == "0" ? "1" : "0");
    }
}

TEST_F(ExecThreads, OfC11ReturnTheirValues) {
    const auto [ran, rows] = run_exec("--policy explicit:1 -- @/probe_threads c11");
    EXPECT_EQ(ran.out, "returned -3 exited 77\n");
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[2].at("first_cpu"), "1");
}

TEST_F(ExecThreads, AreSeenToEndByExitAndCancellation) {
    const auto [ran, rows] = run_exec("-- @/probe_threads ends");
    EXPECT_EQ(ran.out, "exit 42 cleaned 1 canceled 1 cleaned 1 at once 1\n");
    ASSERT_EQ(rows.size(), 4U);
    for (const Row& row : rows)
        EXPECT_NE(row.at("ended_ns"), "");
}

TEST_F(ExecThreads, ThatSleepTakeNoCpuFromOthers) {
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(run_exec("--bind cpu -- @/probe_threads helper").ran.out, "apart 1\n");
    }
}

TEST_F(ExecThreads, InTheThousandsLeakNothing) {
    const auto [ran, rows] = run_exec("--policy explicit:0 -- @/probe_threads churn 10000");
    ASSERT_EQ(ran.exit_code(), 0) << ran.out;
    EXPECT_EQ(rows.size(), 10001U);
    EXPECT_LT(std::stol(ran.out.substr(ran.out.find(' '))), 256) << "KiB of private memory";
}

TEST_F(ExecThreads, MayBeCreatedBySeveralAtOnce) {
    const auto [ran, rows] = run_exec("-- @/probe_threads concurrent");
    EXPECT_EQ(ran.exit_code(), 0);
    EXPECT_EQ(rows.size(), 405U);
    for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(rows[i].at("thread"), std::to_string(i));
}

TEST_F(ExecThreads, ThatCannotBeCreatedAreNotRecorded) {
    const auto [ran, rows] = run_exec("--policy explicit:1,0 --bind cpu -- @/probe_threads refused");
    const std::string alone = run_shell("@/probe_threads refused").out;
    EXPECT_EQ(ran.out, alone.substr(0, alone.find('\n')) + "\nmain 1 threads 0 1 0 1\n");
    EXPECT_EQ(rows.size(), 5U);
}

TEST_F(ExecThreads, AreOnRecordAfterACrash) {
    const auto [ran, rows] = run_exec("--policy explicit:0,1 -- @/probe_threads crash");
    ASSERT_TRUE(WIFSIGNALED(ran.status));
    EXPECT_EQ(WTERMSIG(ran.status), SIGSEGV);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].at("first_cpu"), "1");
    EXPECT_EQ(rows[1].at("ended_ns"), "") << "nobody saw it end";
    EXPECT_EQ(rows[1].at("alive"), "no");
}

}  // namespace
}  // namespace pinwise
