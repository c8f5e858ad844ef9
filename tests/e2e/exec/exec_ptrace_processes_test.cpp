// Several processes under one tracer.

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptrace_fixture.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

class TracedProcesses : public WithPtrace {};

std::size_t processes_in(const std::vector<Row>& rows) {
    std::set<std::string> pids;
    for (const Row& row : rows)
        pids.insert(row.at("pid"));
    return pids.size();
}

TEST_F(TracedProcesses, ForkWhileOthersCreateThreads) {
    const auto [ran, rows] = run_traced("--bind cpu -- timeout 60 @/probe_static_processes forks");
    EXPECT_EQ(ran.out, "failed 0\n");
    EXPECT_GE(processes_in(rows), 21U);
}

TEST_F(TracedProcesses, ThatAreKilledDoNotStopTheirSiblings) {
    const auto [ran, rows] = run_traced("-- timeout 60 @/probe_static_processes killed");
    EXPECT_EQ(ran.out, "sibling 0\n");
    EXPECT_EQ(ran.exit_code(), 0);
}

TEST_F(TracedProcesses, KeepTheirRecordAcrossExec) {
    for (const std::string mode : {"exec", "clearenv"}) {
        const auto [ran, rows] = run_traced("-- @/probe_static_processes " + mode);
        EXPECT_EQ(ran.exit_code(), 0);
        ASSERT_GE(rows.size(), 2U);
        EXPECT_EQ(processes_in(rows), 1U);
        EXPECT_NE(rows[0].at("ended_ns"), "");
        EXPECT_EQ(rows[0].at("name"), "probe_static_pr");
    }
}

TEST_F(TracedProcesses, MayExecFromAnyThread) {
    const auto [ran, rows] = run_traced("--policy explicit:1,0 --bind cpu -- @/probe_tasks exec");
    EXPECT_THAT(ran.out, HasSubstr(" of 2, pid is tid 1\n"));
    ASSERT_EQ(rows.size(), 3U);
    for (const Row& row : rows)
        EXPECT_EQ(row.at("alive"), "no");
}

TEST_F(TracedProcesses, OfVforkArePlacedWithTheirProgram) {
    const auto [ran, rows] = run_traced("--policy explicit:1,0 --bind cpu -- @/probe_tasks vfork");
    EXPECT_THAT(ran.out, HasSubstr(" of 2, pid is tid 1\nstatuses 0 5\n"));
    ASSERT_EQ(rows.size(), 2U) << "the child without a program is not recorded";
    EXPECT_EQ(rows[1].at("first_cpu"), "0");
}

TEST_F(TracedProcesses, InGreatNumbersReportToTheirParent) {
    const auto [ran, rows] = run_traced("-- @/probe_tasks children 1000");
    EXPECT_EQ(ran.out, "wrong 0 signals 1000\n");
    ASSERT_EQ(rows.size(), 1001U);
    for (const Row& row : rows)
        EXPECT_NE(row.at("ended_ns"), "");
}

TEST_F(TracedProcesses, OfAShellScriptAreFollowedWhateverTheyAre) {
    const auto [ran, rows] = run_traced(
        "-- sh -c '@/probe_static_processes thread; @/probe_tasks raw & @/probe_threads first; wait; exit 6'");
    EXPECT_EQ(ran.exit_code(), 6);
    int threads = 0;
    for (const Row& row : rows)
        threads += row.at("pid") != row.at("tid") ? 1 : 0;
    EXPECT_EQ(threads, 1 + 4 + 4);
}

TEST_F(TracedProcesses, CanControlTheirJobs) {
    EXPECT_EQ(run_traced("-- @/probe_tasks jobs").ran.out, "stopped 20 continued 1 killed 9\n");
}

TEST_F(TracedProcesses, SeeTheCpusTheyWouldSeeWithoutUs) {
    EXPECT_THAT(run_traced("--policy explicit:1 --bind cpu -- @/probe_tasks report").ran.out, HasSubstr("of 2"));
    EXPECT_THAT(run_traced("--policy explicit:1 -- @/probe_tasks report").ran.out, HasSubstr("of 2"));
    EXPECT_THAT(run_traced("-C 1 --bind cpu -- @/probe_tasks report").ran.out, HasSubstr("cpu 1 of 1"));
    EXPECT_THAT(run_traced("--bind cpu -- taskset -c 0 @/probe_tasks report").ran.out, HasSubstr("cpu 0 of 1"));
    // Bound by then, and unbound for their new program.
    EXPECT_THAT(run_traced("--bind cpu -- sh -c 'sleep 0.7; exec @/probe_tasks report'").ran.out, HasSubstr("of 2"));
}

TEST_F(TracedProcesses, AreBoundWhenTheyHaveLivedForAWhile) {
    const auto [ran, rows] =
        run_traced("--policy explicit:1 --bind cpu -- bash -c 'sleep 1; grep -i allowed_list /proc/$$/status; true'");
    EXPECT_THAT(ran.out, HasSubstr("Cpus_allowed_list:\t1\n"));
}

TEST_F(TracedProcesses, OutliveThePinwiseThatStartedThem) {
    const Ran ran = run_shell(
        "file=/tmp/pinwise-daemon-$$; @/pinwise exec --attach ptrace -- @/probe_tasks daemon $file; "
        "for i in $(seq 100); do test -e $file && break; sleep 0.05; done; test -e $file; echo $?; rm -f $file");
    EXPECT_EQ(ran.out, "0\n");
}

TEST_F(TracedProcesses, RunOnWhenPinwiseIsKilled) {
    const Ran ran = run_shell(
        "file=/tmp/pinwise-killed-$$; @/pinwise exec --attach ptrace -- sh -c \"echo \\$\\$ > $file.pid; sleep 0.5; "
        "@/probe_static_processes forks > $file; echo end >> $file\" & pid=$!; "
        "for i in $(seq 100); do test -s $file.pid && break; sleep 0.05; done; kill -KILL $pid; wait $pid; "
        "for i in $(seq 200); do grep -q end $file 2>/dev/null && break; sleep 0.05; done; cat $file; rm -f $file*");
    EXPECT_THAT(ran.out, HasSubstr("failed 0\nend\n"));
}

}  // namespace
}  // namespace pinwise
