// What the caller of `pinwise exec` sees: statuses, signals, descriptors, mistakes.

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_pinwise.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

Ran exec(const std::string& arguments) {
    return run_shell("exec @/pinwise exec " + arguments);
}

TEST(ExecCommandLine, PassesExitStatusesThrough) {
    for (const int status : {0, 1, 2, 42, 126, 255}) {
        const Ran ran = exec("-- sh -c 'exit " + std::to_string(status) + "'");
        EXPECT_EQ(ran.exit_code(), status);
        EXPECT_EQ(ran.out, "");
    }
}

TEST(ExecCommandLine, DiesOfTheSignalTheProgramDiedOf) {
    for (const int signal : {SIGTERM, SIGSEGV, SIGKILL, SIGINT, SIGPIPE, SIGABRT}) {
        const Ran ran = exec("-- bash -c 'kill -" + std::to_string(signal) + " $$'");
        ASSERT_TRUE(WIFSIGNALED(ran.status)) << signal;
        EXPECT_EQ(WTERMSIG(ran.status), signal);
        EXPECT_EQ(WCOREDUMP(ran.status), 0);
    }
}

TEST(ExecCommandLine, PassesSignalsOn) {
    for (const std::string signal : {"TERM", "INT", "HUP", "USR1", "USR2", "QUIT"}) {
        // Job control, or the shell would have the background job ignore SIGINT and SIGQUIT.
        const Ran ran =
            run_shell("set -m; dir=$(mktemp -d); @/pinwise exec -- bash -c 'trap \"echo got; exit 7\" " + signal +
                      "; touch '$dir'/ready; for i in $(seq 200); do sleep 0.05; done' & pid=$!; "
                      "for i in $(seq 200); do test -e $dir/ready && break; sleep 0.05; done; "
                      "kill -" +
                      signal + " $pid; wait $pid; echo status $?; rm -r $dir");
        EXPECT_THAT(ran.out, HasSubstr("got\n")) << signal;
        EXPECT_THAT(ran.out, HasSubstr("status 7\n")) << signal;
    }
}

TEST(ExecCommandLine, StopsAndContinuesWithTheProgram) {
    const Ran ran = run_shell(
        "@/pinwise exec -- bash -c 'kill -STOP $$; echo continued; exit 5' & pid=$!; "
        "for i in $(seq 100); do grep -q 'State:.T' /proc/$pid/status && break; sleep 0.05; done; "
        "grep -o 'State:.T' /proc/$pid/status; kill -CONT $pid; wait $pid; echo status $?");
    EXPECT_EQ(ran.out, "State:\tT\ncontinued\nstatus 5\n");
}

TEST(ExecCommandLine, LeavesArgumentsAlone) {
    EXPECT_EQ(exec("-- printf '<%s>' '[a,b]' '' -C -- x list '{y}' --policy").out,
              "<[a,b]><><-C><--><x><list><{y}><--policy>");
}

TEST(ExecCommandLine, GivesTheProgramTheCallersDescriptors) {
    EXPECT_EQ(run_shell("echo text > /tmp/pinwise-fd-$$; exec 7</tmp/pinwise-fd-$$; rm /tmp/pinwise-fd-$$; "
                        "exec @/pinwise exec -- sh -c 'cat <&7'")
                  .out,
              "text\n");
    EXPECT_EQ(exec("-- sh -c 'ls /proc/self/fd | wc -l'").out, run_shell("sh -c 'ls /proc/self/fd | wc -l'").out);
}

TEST(ExecCommandLine, WorksWithClosedStandardDescriptors) {
    const Ran ran = run_shell(
        "@/pinwise exec --record /tmp/pinwise-closed-$$ -- sh -c 'test ! -e /proc/$$/fd/0 -a ! -e /proc/$$/fd/1' "
        "<&- >&-; echo $? >&2; cut -d, -f1 /tmp/pinwise-closed-$$ | head -2 | tr -d '\\r' >&2; rm "
        "/tmp/pinwise-closed-$$");
    EXPECT_EQ(ran.out, "0\nthread\n0\n");
}

TEST(ExecCommandLine, KeepsIgnoredSignalsIgnored) {
    const std::string question = "grep -E 'SigIgn|SigBlk' /proc/self/status";
    EXPECT_EQ(exec("-- " + question).out, run_shell("exec " + question).out);
    EXPECT_EQ(run_shell("trap '' HUP USR1; exec @/pinwise exec -- " + question).out,
              run_shell("trap '' HUP USR1; exec " + question).out);
}

TEST(ExecCommandLine, SaysWhatIsWrong) {
    struct Mistake {
        const char* arguments;
        int status;
        const char* said;
    };
    for (const Mistake& mistake : {
             Mistake{"-C 3-1 -- true", 2, "position"},
             Mistake{"-C '' -- true", 2, "pinwise: "},
             Mistake{"-C 9999 -- true", 2, "absent"},
             Mistake{"-C 9999 --allow-missing -- true", 2, "9999"},
             Mistake{"--policy idelst -- true", 2, "idlest"},
             Mistake{"--policy explicit:9999 -- true", 2, "9999"},
             Mistake{"--bind socket -- true", 2, "initial, cpu, llc or node"},
             Mistake{"--bogus -- true", 2, "unknown option --bogus"},
             Mistake{"true -x", 2, "put -- before the command"},
             Mistake{"--", 2, "command"},
             Mistake{"-- no-such-command", 127, "not found"},
             Mistake{"-- /etc/passwd", 126, "not executable"},
             Mistake{"--record /no/such/folder/x -- true", 2, "/no/such/folder/x"},
         }) {
        const Ran ran = exec(mistake.arguments);
        EXPECT_EQ(ran.exit_code(), mistake.status) << mistake.arguments;
        EXPECT_THAT(ran.out, HasSubstr(mistake.said)) << mistake.arguments;
        EXPECT_EQ(ran.out.find('\n'), ran.out.size() - 1) << "one line: " << ran.out;
    }
}

TEST(ExecCommandLine, DropsMissingCpusWithANote) {
    const Ran ran = exec("-C 0,9999 --allow-missing -- grep Cpus_allowed_list /proc/self/status");
    EXPECT_THAT(ran.out, HasSubstr("note: CPU 9999 is absent"));
    EXPECT_THAT(ran.out, HasSubstr("Cpus_allowed_list:\t0\n"));
}

TEST(ExecCommandLine, SaysThatNothingJoined) {
    EXPECT_THAT(run_shell("PINWISE_AGENT=/etc/hostname exec @/pinwise exec --policy os -- true 2>&1").out,
                HasSubstr("no thread of true joined"));
}

TEST(ExecCommandLine, WritesTheRecordToStandardOutput) {
    const Ran ran = exec("--record - -- true");
    EXPECT_THAT(ran.out,
                testing::StartsWith("thread,pid,tid,name,asked_cpu,got_cpu,got_cpus,first_cpu,first_cpu_means,last_cpu,"
                                    "migrations,affinity_kept,alive,born_ns,ended_ns,program_affinity,mem_policy,scans,"
                                    "hint_faults,hint_faults_local,scan_system_ns,scan_state\r\n0,"));
}

}  // namespace
}  // namespace pinwise
