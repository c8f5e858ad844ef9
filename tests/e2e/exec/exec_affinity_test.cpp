// Affinities: what threads are bound to, what the program sets itself, and what other programs occupy.

#include <array>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_pinwise.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;
using testing::Not;

class ExecAffinity : public testing::Test {
protected:
    void SetUp() override {
        if (!has_cpus_0_and_1()) GTEST_SKIP() << "needs CPUs 0 and 1";
    }
};

/// The ways a program has to bind its initial thread.
constexpr std::array own_ways{"self", "handle", "syscall"};

TEST_F(ExecAffinity, ThatTheProgramSetsIsRespectedAndRecorded) {
    for (const std::string way : own_ways) {
        auto [ran, rows] = run_exec("-C 0,1 --policy explicit:1 --bind cpu -- @/probe_affinity " + way + " 0");
        EXPECT_EQ(ran.out, "set 0\nmain 0\nseen 1 CPUs, by system call 1, bytes 1\n") << way;
        ASSERT_EQ(rows.size(), 1U);
        EXPECT_EQ(rows[0]["program_affinity"], "respected");
        EXPECT_EQ(rows[0]["affinity_kept"], "no");
    }
}

TEST_F(ExecAffinity, IsOverriddenWithForceAndTheProgramIsToldItWasSet) {
    for (const std::string way : own_ways) {
        auto [ran, rows] = run_exec("-C 0,1 --policy explicit:1 --bind cpu --force -- @/probe_affinity " + way + " 0");
        EXPECT_EQ(ran.out, "set 0\nmain 1\nseen 1 CPUs, by system call 1, bytes 1\n") << way;
        ASSERT_EQ(rows.size(), 1U);
        EXPECT_EQ(rows[0]["program_affinity"], "overridden(1)");
        EXPECT_EQ(rows[0]["affinity_kept"], "yes");
    }
}

TEST_F(ExecAffinity, OfAThreadIsAlsoSetByItsCreator) {
    const std::string seen = "seen 1 CPUs, by system call 1, bytes 1\n";
    for (int round = 0; round < 10; ++round) {
        auto [ran, rows] = run_exec("-C 0,1 --policy explicit:0,1 -- @/probe_affinity other 0");
        EXPECT_EQ(ran.out, "set 0\nthread 0\n" + seen) << "set before the thread has run";
        ASSERT_EQ(rows.size(), 2U);
        EXPECT_EQ(rows[1]["program_affinity"], "respected");
        auto forced = run_exec("-C 0,1 --policy explicit:0,1 --bind cpu --force -- @/probe_affinity other 0");
        EXPECT_EQ(forced.ran.out, "set 0\nthread 1\n" + seen);
        ASSERT_EQ(forced.rows.size(), 2U);
        EXPECT_EQ(forced.rows[1]["program_affinity"], "overridden(1)");
    }
}

TEST_F(ExecAffinity, ThatTheKernelWouldRefuseIsRefused) {
    for (const char* force : {"", "--force "}) {
        auto [ran, rows] = run_exec(std::string(force) + "--policy explicit:1 --bind cpu -- @/probe_affinity absent");
        EXPECT_THAT(ran.out, HasSubstr("set -1\nmain 1\n"));
        EXPECT_EQ(rows.at(0)["program_affinity"], "");
    }
}

TEST_F(ExecAffinity, OfAttributesIsOverriddenWithForce) {
    auto [ran, rows] = run_exec("--policy explicit:0,1 --bind cpu --force -- @/probe_threads affinity 0");
    EXPECT_EQ(ran.out, "cpu 1\n");
    EXPECT_EQ(rows.at(1)["program_affinity"], "overridden(1)");
}

TEST_F(ExecAffinity, OfCacheAndNodeIsKeptAndNotSeen) {
    for (const char* bind : {"llc", "node"}) {
        auto [ran, rows] = run_exec(std::string("-C 0,1 --policy explicit:1 --bind ") + bind + " -- @/probe_affinity");
        EXPECT_THAT(ran.out, HasSubstr("seen 2 CPUs, by system call 2"));
        EXPECT_EQ(rows.at(0)["affinity_kept"], "yes");
    }
}

TEST_F(ExecAffinity, OfABoundShellIsNotPassedOnToItsProcesses) {
    const auto [ran, rows] = run_exec("-C 0,1 --bind cpu -- bash -c 'for i in 1 2 3 4; do sleep 0.3 & done; wait'");
    int on_cpu_0 = 0;
    int sleeps = 0;
    for (const Row& row : rows) {
        sleeps += row.at("name") == "sleep" ? 1 : 0;
        on_cpu_0 += row.at("name") == "sleep" && row.at("asked_cpu") == "0" ? 1 : 0;
    }
    EXPECT_EQ(sleeps, 4);
    EXPECT_GT(on_cpu_0, 0);
    EXPECT_LT(on_cpu_0, 4);
}

TEST_F(ExecAffinity, OfAChildOfVforkIsNotTakenForItsParents) {
    for (const std::string force : {"", "--force "}) {
        const auto [ran, rows] = run_exec(force + "--policy explicit:1,0 --bind cpu -- @/probe_processes vfork");
        EXPECT_EQ(ran.exit_code(), 0);
        ASSERT_GE(rows.size(), 2U);
        EXPECT_EQ(rows[0].at("program_affinity"), "");
        EXPECT_EQ(rows[0].at("affinity_kept"), "yes");
    }
}

TEST_F(ExecAffinity, IsTheSessionsAgainAfterTheProgramHasLookedRound) {
    const std::string round =
        "python3 -c 'import os; all = os.sched_getaffinity(0); "
        "[os.sched_setaffinity(0, {cpu}) for cpu in all]; os.sched_setaffinity(0, all); "
        "print(open(\"/proc/self/status\").read().split(\"Cpus_allowed_list:\")[1].split()[0])'";
    if (run_shell("command -v python3").exit_code() != 0) GTEST_SKIP() << "no python3";
    auto [ran, rows] = run_exec("-C 0,1 --policy explicit:1 --bind cpu -- " + round);
    EXPECT_EQ(ran.out, "1\n");
    EXPECT_EQ(rows.at(0)["affinity_kept"], "yes");
}

TEST_F(ExecAffinity, HelperThreadsAreLeftToTheKernel) {
    auto [ran, rows] = run_exec("-C 0,1 --policy explicit:1,0,1 --bind cpu --skip 2 -- @/probe_threads first");
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[0]["asked_cpu"], "1");
    for (const std::size_t helper : {1U, 2U}) {
        EXPECT_EQ(rows[helper]["asked_cpu"], "");
        EXPECT_EQ(rows[helper]["got_cpus"], "2") << "not its creator's one CPU";
    }
    EXPECT_EQ(rows[3]["asked_cpu"], "0");
    EXPECT_EQ(rows[4]["asked_cpu"], "1");
}

TEST_F(ExecAffinity, AvoidsACpuThatAnotherProgramKeepsBusy) {
    // More of them than anything else on this machine may run on CPU 1 meanwhile.
    const std::string spinners =
        "for i in $(seq 12); do taskset -c 0 bash -c 'while :; do :; done' & done; sleep 0.3; ";
    for (int round = 0; round < 3; ++round) {
        const Ran ran = run_shell(spinners +
                                  "@/pinwise exec --observe -C 0,1 --bind cpu --record - -- true | tail -1 | "
                                  "cut -d, -f5; kill $(jobs -p)");
        EXPECT_EQ(ran.out, "1\n");
    }
}

class ExecOpenMp : public ExecAffinity, public testing::WithParamInterface<const char*> {
protected:
    void SetUp() override {
        ExecAffinity::SetUp();
        if (!std::filesystem::exists(bin_dir + "/" + GetParam())) GTEST_SKIP() << "no " << GetParam();
    }
    static std::string program() { return std::string("@/") + GetParam(); }
};

TEST_P(ExecOpenMp, IsFollowedAndSizesItselfByTheWholeMask) {
    const auto [ran, rows] = run_exec("-C 0,1 --policy explicit:0,1 --bind cpu -- " + program());
    for (const char* line : {"0 0\n", "1 1\n", "2 0\n", "3 1\n"})
        EXPECT_THAT(ran.out, HasSubstr(line));
}

TEST_P(ExecOpenMp, ThatBindsItselfWinsAndOneLineSaysSo) {
    auto run = [&](const std::string& options) {
        setenv("OMP_PROC_BIND", "true", 1);
        setenv("OMP_PLACES", "{0}", 1);
        auto recorded = run_exec("-C 0,1 --policy explicit:1,1,1,1 --bind cpu " + options + "-- " + program());
        unsetenv("OMP_PROC_BIND");
        unsetenv("OMP_PLACES");
        return recorded;
    };
    const auto [ran, rows] = run("");
    EXPECT_THAT(ran.out, HasSubstr("pinwise: OMP_PROC_BIND=true, OMP_PLACES={0}: an OpenMP runtime binds"));
    for (const char* line : {"0 0\n", "1 0\n", "2 0\n", "3 0\n"})
        EXPECT_THAT(ran.out, HasSubstr(line));
    const auto forced = run("--force ");
    EXPECT_THAT(forced.ran.out, HasSubstr("not passed on to the program"));
    for (const char* line : {"0 1\n", "1 1\n", "2 1\n", "3 1\n"})
        EXPECT_THAT(forced.ran.out, HasSubstr(line));
}

INSTANTIATE_TEST_SUITE_P(Runtimes, ExecOpenMp, testing::Values("probe_openmp", "probe_libomp"));

TEST_F(ExecAffinity, IsNotWarnedOfWhereNothingIsBound) {
    for (const char* variable : {"OMP_PROC_BIND=false", "KMP_AFFINITY=none", "OMP_WAIT_POLICY=active"})
        EXPECT_EQ(run_shell(std::string(variable) + " @/pinwise exec -- true").out, "") << variable;
    EXPECT_EQ(run_shell("OMP_PROC_BIND=true @/pinwise exec --policy os -- true").out, "");
    for (const char* variable : {"GOMP_CPU_AFFINITY=0", "KMP_AFFINITY=compact", "OMP_PLACES=cores"})
        EXPECT_THAT(run_shell(std::string(variable) + " @/pinwise exec -- true").out, HasSubstr(variable));
}

TEST_F(ExecAffinity, IsVerifiedThreadByThread) {
    const Ran ran = run_shell(
        "@/pinwise exec -C 0,1 --policy explicit:1,0 --bind cpu --verify -- @/probe_threads first "
        "2>&1 >/dev/null");
    EXPECT_THAT(ran.out, HasSubstr("asked   got first  migrations  kept\n"));
    EXPECT_THAT(ran.out, HasSubstr("5 threads, 5 placed: 5 started where asked, 5 kept the affinity they were given"));
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 7);
    const Ran own = run_shell("@/pinwise exec -C 0,1 --policy explicit:1 --verify -- taskset -c 0 true 2>&1");
    EXPECT_THAT(own.out, HasSubstr("no (program's own respected)"));
    EXPECT_THAT(own.out, HasSubstr("0 kept the affinity"));
}

}  // namespace
}  // namespace pinwise
