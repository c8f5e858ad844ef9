// Threads of programs that only a tracer can follow.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptrace_fixture.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

class TracedThreads : public WithPtrace {};

void expect_alternating(const std::vector<Row>& rows, std::size_t count) {
    ASSERT_EQ(rows.size(), count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string cpu = i % 2 == 0 ? "1" : "0";
        Row row = rows[i];
        EXPECT_EQ(row["thread"], std::to_string(i));
        EXPECT_EQ(row["asked_cpu"], cpu) << i;
        EXPECT_EQ(row["got_cpu"], cpu) << i;
        EXPECT_EQ(row["got_cpus"], "1") << i;
        EXPECT_EQ(row["first_cpu"], cpu) << i;
        EXPECT_EQ(row["first_cpu_means"], "agent") << i;
        EXPECT_EQ(row["affinity_kept"], "yes") << i;
        EXPECT_EQ(row["alive"], "no") << i;
        EXPECT_NE(row["ended_ns"], "") << i;
    }
}

TEST_F(TracedThreads, ThatSpinAreOnTheAskedCpuFirst) {
    for (int round = 0; round < 3; ++round) {
        const auto [ran, rows] = run_traced("-C 0,1 --policy explicit:1,0 --bind cpu -- @/probe_tasks spin");
        EXPECT_EQ(ran.out, "threads 0 1 0 1 0 1 0 1\n");
        expect_alternating(rows, 9);
        for (std::size_t i = 1; i < rows.size(); ++i) {
            EXPECT_EQ(rows[i].at("last_cpu"), rows[i].at("first_cpu"));
            EXPECT_TRUE(rows[i].at("migrations") == "0" || rows[i].at("migrations").empty());
        }
    }
}

TEST_F(TracedThreads, ThatSpinAreOnTheAskedCpuFirstAlsoWhenTheyMayMoveAgain) {
    const auto [ran, rows] = run_traced("-C 0,1 --policy explicit:1,0 -- @/probe_tasks spin");
    EXPECT_EQ(ran.exit_code(), 0);
    expect_alternating(rows, 9);
}

TEST_F(TracedThreads, OfPolicyIdlestAreSpread) {
    const auto [ran, rows] = run_traced("-C 0,1 --policy idlest -- @/probe_tasks spin");
    ASSERT_EQ(rows.size(), 9U);
    int on_cpu_0 = 0;
    for (const Row& row : rows) {
        EXPECT_EQ(row.at("first_cpu"), row.at("asked_cpu"));
        on_cpu_0 += row.at("first_cpu") == "0" ? 1 : 0;
    }
    EXPECT_GE(on_cpu_0, 4);
    EXPECT_LE(on_cpu_0, 5);
}

TEST_F(TracedThreads, StayOnTheCpusOfTheList) {
    for (const std::string cpu : {"0", "1"}) {
        const auto [ran, rows] = run_traced("-C " + cpu + " -- @/probe_static_threads first");
        EXPECT_EQ(ran.out, "main " + cpu + " threads " + cpu + " " + cpu + " " + cpu + " " + cpu + "\n");
    }
}

TEST_F(TracedThreads, MadeByRawCloneAreFollowed) {
    for (int round = 0; round < 3; ++round) {
        const auto [ran, rows] = run_traced("--policy explicit:1,0 --bind cpu -- @/probe_tasks raw");
        EXPECT_EQ(ran.out, "threads 0 1 0 1\n");
        expect_alternating(rows, 5);
    }
}

TEST_F(TracedThreads, MadeNotToBeTracedAreLeftAlone) {
    const auto [ran, rows] = run_traced("-- @/probe_tasks raw untraced");
    EXPECT_EQ(ran.exit_code(), 0);
    EXPECT_EQ(rows.size(), 1U);
}

TEST_F(TracedThreads, OfDynamicProgramsArePlacedOnce) {
    const auto [ran, rows] = run_traced("--policy explicit:1,0 --bind cpu -- @/probe_threads first");
    EXPECT_EQ(ran.out, "main 1 threads 0 1 0 1\n");
    expect_alternating(rows, 5);
    // Nor does the agent of a session around this one take part.
    const auto inside = run_shell(
        "exec @/pinwise exec -- @/pinwise exec --attach ptrace --policy explicit:1,0 --bind cpu -- @/probe_threads "
        "first");
    EXPECT_EQ(inside.out, "main 1 threads 0 1 0 1\n");
}

TEST_F(TracedThreads, AreOnlyRecordedUnderPolicyOs) {
    const auto [ran, rows] = run_traced("--policy os -- @/probe_static_threads first");
    ASSERT_EQ(rows.size(), 5U);
    for (const Row& row : rows) {
        EXPECT_EQ(row.at("asked_cpu"), "");
        EXPECT_EQ(row.at("got_cpus"), rows[0].at("got_cpus"));
        EXPECT_NE(row.at("first_cpu"), "");
        EXPECT_EQ(row.at("affinity_kept"), "yes");
    }
}

TEST_F(TracedThreads, KeepAnAffinityOfTheProgram) {
    for (const std::string cpu : {"0", "1"}) {
        const std::string other = cpu == "0" ? "1" : "0";
        const auto [ran, rows] =
            run_traced("--policy explicit:" + cpu + " --bind cpu -- @/probe_static_threads affinity " + other);
        EXPECT_EQ(ran.out, "cpu " + other + "\n");
        ASSERT_EQ(rows.size(), 2U);
        EXPECT_EQ(rows[1].at("last_cpu"), other);
        EXPECT_TRUE(rows[1].at("asked_cpu").empty() || rows[1].at("affinity_kept") == "no");
    }
}

TEST_F(TracedThreads, KeepTheirAttributesValuesAndEnds) {
    EXPECT_EQ(run_traced("-- @/probe_static_threads attributes").ran.out,
              "stack 1048576 detached 1 blocked 1\nstack 1048576 detached 1 blocked 1\nsmallest stack 1\n");
    EXPECT_EQ(run_traced("-- @/probe_static_threads c11").ran.out, "returned -3 exited 77\n");
    const auto [ran, rows] = run_traced("-- @/probe_static_threads ends");
    EXPECT_EQ(ran.out, "exit 42 cleaned 1 canceled 1 cleaned 1 at once 1\n");
    ASSERT_EQ(rows.size(), 4U);
    for (const Row& row : rows)
        EXPECT_NE(row.at("ended_ns"), "");
}

TEST_F(TracedThreads, InTheThousandsLeakNothing) {
    const auto [ran, rows] = run_traced("--policy explicit:0 -- @/probe_static_threads churn 3000");
    ASSERT_EQ(ran.exit_code(), 0) << ran.out;
    ASSERT_EQ(rows.size(), 3001U);
    for (const Row& row : rows)
        EXPECT_NE(row.at("ended_ns"), "") << row.at("thread");
    EXPECT_LT(std::stol(ran.out.substr(ran.out.find(' '))), 256) << "KiB of private memory";
}

TEST_F(TracedThreads, MayBeCreatedBySeveralAtOnce) {
    const auto [ran, rows] = run_traced("-- @/probe_static_threads concurrent");
    EXPECT_EQ(ran.exit_code(), 0);
    ASSERT_EQ(rows.size(), 405U);
    for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(rows[i].at("thread"), std::to_string(i));
}

TEST_F(TracedThreads, ThatSleepTakeNoCpuFromOthers) {
    for (int round = 0; round < 3; ++round)
        EXPECT_EQ(run_traced("--bind cpu -- @/probe_static_threads helper").ran.out, "apart 1\n");
}

// A Go program takes as many threads as it may use CPUs, which it asks for first of all; its threads are raw clones.
TEST_F(TracedThreads, OfGoProgramsAreFollowed) {
    if (run_shell("command -v go").exit_code() != 0) GTEST_SKIP() << "needs a Go compiler";
    const std::string folder = testing::TempDir() + "/pinwise-go-" + std::to_string(getpid());
    const auto built = run_shell("mkdir -p " + folder + " && cd " + folder + R"( && cat > main.go <<'END'
package main
import ("fmt"; "runtime"; "sync")
func main() {
    var all sync.WaitGroup
    for i := 0; i < 2; i++ {
        all.Add(1)
        go func() { defer all.Done(); runtime.LockOSThread(); for j := 0; j < 200000000; j++ { } }()
    }
    all.Wait()
    fmt.Println("processors", runtime.GOMAXPROCS(0))
}
END
HOME=)" + folder + " GOFLAGS=-mod=mod CGO_ENABLED=0 go build -o spin main.go");
    ASSERT_EQ(built.exit_code(), 0) << built.out;
    const auto [ran, rows] = run_exec("--bind cpu -- " + folder + "/spin");
    EXPECT_EQ(ran.out, "processors 2\n");
    EXPECT_GE(rows.size(), 3U);
    for (const Row& row : rows)
        EXPECT_EQ(row.at("first_cpu"), row.at("asked_cpu"));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pinwise
