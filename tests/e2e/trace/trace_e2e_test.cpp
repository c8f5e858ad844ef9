// `pinwise trace` as typed: files, standard input, mistakes, and programs run under it. Recording works with tracefs
// and without: what is tested holds for both means.

#include <algorithm>
#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/e2e/exec/run_pinwise.hpp"

namespace pinwise {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string traces = PINWISE_SOURCE_DIR "/tests/data/traces/";
const std::string two_nodes = " --topology 'synthetic:Package:2 [NUMANode] L3Cache:1 Core:4 PU:1'";

Ran trace(const std::string& arguments) {
    return run_shell("exec @/pinwise trace " + arguments);
}

/// Runs the script with $dir as a folder of its own.
Ran in_folder(const std::string& script) {
    return run_shell("dir=$(mktemp -d); " + script + "; status=$?; rm -r $dir; exit $status");
}

TEST(Trace, ReportsPlacementMigrationsAndTime) {
    const Ran ran = trace(traces + "ftrace.txt --pid 300" + two_nodes);
    EXPECT_EQ(ran.exit_code(), 0);
    EXPECT_THAT(ran.out, HasSubstr("initial:    {4}{0}  4 threads on 3 CPUs, 1 LLC, at most 2 on one CPU\n"));
    EXPECT_THAT(ran.out, HasSubstr("last:       {3}{1}  4 threads on 4 CPUs, 2 LLCs, at most 1 on one CPU\n"));
    EXPECT_THAT(ran.out, HasSubstr("migrations: 2; 1 across LLCs, 1 across nodes; 1 more before the first thread"));
    EXPECT_THAT(ran.out, HasSubstr("stable:     0.039900 s after the first creation (last migration)\n"));
    EXPECT_THAT(ran.out, HasSubstr("    0.000100  {4}{0}  START\n    0.039900  {3}{1}  FINAL\n"));
    EXPECT_THAT(ran.out, Not(HasSubstr("note"))) << "nothing is missing";
}

TEST(Trace, ReadsStandardInputAndPrintsJson) {
    const Ran ran = run_shell("exec @/pinwise trace - --format json" + two_nodes + " < " + traces + "perf-script.txt");
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json.at("source"), "standard input");
    EXPECT_EQ(json.at("initial").at("node_counts"), "{4}{0}");
    EXPECT_EQ(json.at("initial").at("most_on_one_cpu"), 2);
    EXPECT_EQ(json.at("migrations"), 2);
    EXPECT_EQ(json.at("last_migration_ns"), 39'900'000);
    EXPECT_EQ(json.at("threads").at(3).at("first_cpu"), 1);
    EXPECT_EQ(json.at("threads").at(3).at("last_node"), 1);
    EXPECT_EQ(json.at("threads").at(0).at("created_ns"), nullptr);
    EXPECT_EQ(json.at("node_counts").size(), 2U);
    EXPECT_TRUE(json.at("gaps").empty());
}

TEST(Trace, PrintsARecordPerThreadAsCsv) {
    const Ran ran = trace(traces + "trace-cmd-report.txt --format csv" + two_nodes);
    EXPECT_THAT(ran.out, StartsWith("tid,name,created_ns,first_cpu,first_node,first_llc,first_cpu_from,migrations,"
                                    "last_cpu,last_node,last_llc\r\n"
                                    "300,two words,,1,0,0,creator,0,1,0,0\r\n"));
    EXPECT_THAT(ran.out, EndsWith("303,two words,100000,1,0,0,sched_wakeup_new,1,5,1,1\r\n"));
}

TEST(Trace, TellsWhatIsMissingFromATrace) {
    const Ran ran = trace(traces + "mailed-excerpt.txt" + two_nodes);
    EXPECT_EQ(ran.exit_code(), 0);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("note: 10 migrations are elided"), HasSubstr("migrations: 14 (4 shown and 10"),
                               HasSubstr("initial:    not known"), HasSubstr("last:       not known")));
    const Ran torn =
        in_folder("head -c -3 " + traces + "ftrace.txt > $dir/torn; @/pinwise trace $dir/torn" + two_nodes);
    EXPECT_EQ(torn.exit_code(), 0);
    EXPECT_THAT(torn.out, HasSubstr("note: line 22 is cut off and was left out"));
}

TEST(Trace, MistakesAreOneLineAndStatus2) {
    const auto mistake = [](const std::string& arguments) {
        const Ran ran = trace(arguments);
        EXPECT_EQ(ran.exit_code(), 2) << arguments;
        EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
        return ran.out;
    };
    EXPECT_THAT(mistake(""), HasSubstr("no file to read"));
    EXPECT_THAT(mistake("/nowhere/trace.txt"), HasSubstr("/nowhere/trace.txt: No such file"));
    EXPECT_THAT(mistake("/dev/null"), HasSubstr("/dev/null: no sched_wakeup_new or sched_migrate_task in it"));
    EXPECT_THAT(mistake("/bin/sh"), HasSubstr("/bin/sh:1: a NUL byte"));
    EXPECT_THAT(mistake(traces + "ftrace.txt --comm nobody" + two_nodes), HasSubstr("none of its 9 events"));
    EXPECT_THAT(mistake(traces + "ftrace.txt --topology 'synthetic:Package:1 [NUMANode] Core:3 PU:1'"),
                AllOf(HasSubstr("ftrace.txt:13: CPU 7 is not of this machine"), HasSubstr("--topology")));
    EXPECT_THAT(mistake(traces + "ftrace.txt --pid 0"), HasSubstr("--pid"));
    EXPECT_THAT(mistake(traces + "ftrace.txt --format xml"), HasSubstr("xml"));
    EXPECT_THAT(mistake(traces + "ftrace.txt --frob"), HasSubstr("unknown option \"--frob\""));
    EXPECT_THAT(mistake(traces + "ftrace.txt other.txt"), HasSubstr("unexpected \"other.txt\""));
    EXPECT_THAT(mistake(traces + "ftrace.txt -C 0"), HasSubstr("belong to --record"));
    EXPECT_THAT(mistake("--record true"), HasSubstr("put -- before the command"));
    EXPECT_THAT(mistake("--record --"), HasSubstr("no command"));
    EXPECT_THAT(mistake("--record --pid 4 -- true"), HasSubstr("no meaning with --record"));
    EXPECT_THAT(mistake("--record -- /nowhere/program"), HasSubstr("/nowhere/program: command not found"));
    EXPECT_THAT(mistake("--record -o /nowhere/report -- true"), HasSubstr("/nowhere/report"));
}

TEST(TraceRecord, RunsAProgramAndReportsItsThreads) {
    const Ran ran = in_folder(
        "@/pinwise trace --record --format json -o $dir/report -- @/probe_threads first 2>/dev/null; cat $dir/report");
    ASSERT_THAT(ran.out, StartsWith("main "));
    const auto json = nlohmann::json::parse(ran.out.substr(ran.out.find('\n') + 1));
    EXPECT_THAT(json.at("source").get<std::string>(), StartsWith("recorded by "));
    EXPECT_EQ(json.at("created"), 4);
    EXPECT_EQ(json.at("threads").size(), 5U);
    for (const auto& thread : json.at("threads"))
        EXPECT_TRUE(thread.at("first_cpu").is_number()) << thread;
}

TEST(TraceRecord, LimitsTheProgramToAMask) {
    const Ran ran = in_folder(
        "cpu=$(taskset -cp $$ | grep -oE '[0-9]+$'); "
        "@/pinwise trace --record --format csv -C $cpu -o $dir/report -- bash -c 'taskset -cp $$' 2>/dev/null "
        "| grep -q \": $cpu\\$\" && wc -l < $dir/report");
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
}

TEST(TraceRecord, EndsAsTheProgramDoes) {
    for (const int status : {1, 7, 255})
        EXPECT_EQ(trace("--record -o /dev/null -- sh -c 'exit " + std::to_string(status) + "'").exit_code(), status);
    for (const int signal : {SIGTERM, SIGSEGV, SIGKILL}) {
        const Ran ran = trace("--record -o /dev/null -- bash -c 'kill -" + std::to_string(signal) + " $$'");
        ASSERT_TRUE(WIFSIGNALED(ran.status)) << signal;
        EXPECT_EQ(WTERMSIG(ran.status), signal);
    }
}

TEST(TraceRecord, OfAKilledPinwiseGoesOnNoLongerAndIsRemovedByTheNext) {
    const Ran ran = run_shell(R"(unshare -m true 2>/dev/null || exit 77; exec unshare -m bash -c '
        mount -t tracefs none /sys/kernel/tracing && cd /sys/kernel/tracing/instances || exit 77
        @/pinwise trace --record -o /dev/null -- sleep 5 & pinwise=$!
        for i in $(seq 100); do pgrep -P $pinwise sleep >/dev/null && break; sleep 0.02; done
        cat pinwise-$pinwise/tracing_on || exit 77
        pkill -P $pinwise sleep; kill -9 $pinwise; wait 2>/dev/null
        cat pinwise-$pinwise/tracing_on
        @/pinwise trace --record -o /dev/null -- true 2>/dev/null
        test ! -e pinwise-$pinwise && echo removed' 2>/dev/null)");
    if (ran.exit_code() == 77) GTEST_SKIP() << "needs root and tracefs";
    EXPECT_EQ(ran.out, "1\n0\nremoved\n");
}

TEST(TraceRecord, ThatFailsLeavesTheReportAsItWas) {
    const std::string failing = "@/pinwise trace --record --raw /nowhere/raw -o $dir/report -- true 2>/dev/null; ";
    EXPECT_EQ(in_folder("echo mine > $dir/report; " + failing + "cat $dir/report").out, "mine\n");
    EXPECT_EQ(in_folder(failing + "ls $dir").out, "");
}

TEST(TraceRecord, LeavesTheArgumentsOfTheProgramAlone) {
    const Ran ran = trace("--record -o /dev/null -- printf '<%s>' '[a,b]' '' -C -- trace --topology 2>/dev/null");
    EXPECT_EQ(ran.out, "<[a,b]><><-C><--><trace><--topology>");
}

TEST(TraceRecord, LeavesNoInstanceBehind) {
    const Ran ran = run_shell(
        "@/pinwise trace --record -o /dev/null -- sh -c 'kill -KILL $$' 2>/dev/null; "
        "! compgen -G '/sys/kernel/tracing/instances/pinwise-*'");
    EXPECT_EQ(ran.exit_code(), 0) << ran.out;
}

}  // namespace
}  // namespace pinwise
