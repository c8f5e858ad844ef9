// What the caller of `pinwise exec --attach` sees: the choice, statuses, signals, refusals.

#include <csignal>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include "ptrace_fixture.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

class TracedCommandLine : public WithPtrace {};

Ran exec(const std::string& arguments) {
    return run_shell("exec @/pinwise exec " + arguments);
}

TEST_F(TracedCommandLine, PassesExitStatusesAndDeathsThrough) {
    for (const int status : {0, 1, 2, 126, 255})
        EXPECT_EQ(exec("--attach ptrace -- @/probe_tasks status " + std::to_string(status)).exit_code(), status);
    for (const int signal : {SIGTERM, SIGSEGV, SIGKILL, SIGINT, SIGABRT}) {
        const Ran ran = exec("--attach ptrace -- @/probe_tasks signal " + std::to_string(signal));
        ASSERT_TRUE(WIFSIGNALED(ran.status)) << signal;
        EXPECT_EQ(WTERMSIG(ran.status), signal);
    }
    EXPECT_EQ(exec("--attach ptrace -- @/probe_tasks leader").exit_code(), 3) << "its initial thread ended first";
}

TEST_F(TracedCommandLine, PassesSignalsOn) {
    for (const std::string signal : {"TERM", "INT", "HUP", "USR1", "QUIT"}) {
        const Ran ran = run_shell(
            "set -m; dir=$(mktemp -d); @/pinwise exec --attach ptrace -- bash -c 'trap \"echo got; exit 7\" " + signal +
            "; touch '$dir'/ready; for i in $(seq 200); do sleep 0.05; done' & pid=$!; "
            "for i in $(seq 200); do test -e $dir/ready && break; sleep 0.05; done; kill -" +
            signal + " $pid; wait $pid; echo status $?; rm -r $dir");
        EXPECT_THAT(ran.out, HasSubstr("got\n")) << signal;
        EXPECT_THAT(ran.out, HasSubstr("status 7\n")) << signal;
    }
}

TEST_F(TracedCommandLine, StopsAndContinuesWithTheProgram) {
    for (int round = 0; round < 3; ++round) {
        const Ran ran = run_shell(
            "@/pinwise exec --attach ptrace -- @/probe_tasks stop & pid=$!; "
            "for i in $(seq 100); do grep -q 'State:.T' /proc/$pid/status && break; sleep 0.05; done; "
            "grep -o 'State:.T' /proc/$pid/status; kill -CONT $pid; wait $pid; echo status $?");
        EXPECT_EQ(ran.out, "State:\tT\ncontinued\nstatus 5\n");
    }
}

/// Runs a bash script on a terminal of its own, types `keys` once `prompt` was written, and returns all output.
std::string on_terminal(std::string script, const std::string& prompt, const std::string& keys) {
    for (auto at = script.find('@'); at != std::string::npos; at = script.find('@', at + bin_dir.size()))
        script.replace(at, 1, bin_dir);
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        execlp("bash", "bash", "-c", script.c_str(), nullptr);
        _exit(9);
    }
    std::string seen;
    bool typed = false;
    std::array<char, 1024> buffer{};
    pollfd waiting{.fd = terminal, .events = POLLIN, .revents = 0};
    constexpr int patience_ms = 20'000;
    while (poll(&waiting, 1, patience_ms) > 0) {
        const ssize_t count = read(terminal, buffer.data(), buffer.size());
        if (count <= 0) break;
        seen.append(buffer.data(), static_cast<std::size_t>(count));
        if (typed || seen.find(prompt) == std::string::npos) continue;
        typed = write(terminal, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size());
    }
    close(terminal);
    waitpid(child, nullptr, 0);
    return seen;
}

TEST_F(TracedCommandLine, LeavesCtrlCToTheProgram) {
    const std::string seen = on_terminal(
        "trap : INT; @/pinwise exec --attach ptrace -- bash -c 'trap \"echo got; exit 7\" INT; echo ready; for i in "
        "$(seq 200); do sleep 0.05; done'; echo status $?",
        "ready", "\x03");
    EXPECT_THAT(seen, HasSubstr("got\r\n"));
    EXPECT_THAT(seen, HasSubstr("status 7"));
    EXPECT_EQ(seen.find("got"), seen.rfind("got")) << "once";
}

TEST_F(TracedCommandLine, IsStoppedByCtrlZ) {
    const std::string seen = on_terminal(
        "set -m; @/pinwise exec --attach ptrace -- bash -c 'echo ready; read line; echo line $line'; echo status $?; "
        "fg; echo status $?",
        "ready",
        "\x1a"
        "text\n");
    EXPECT_THAT(seen, HasSubstr("status 148")) << "128 + SIGTSTP";
    EXPECT_THAT(seen, HasSubstr("line text"));
    EXPECT_THAT(seen, HasSubstr("status 0"));
}

TEST_F(TracedCommandLine, IsChosenForStaticPrograms) {
    if (!PINWISE_HAS_STATIC_LIBC) GTEST_SKIP() << "needs a static C library";
    EXPECT_EQ(exec("--policy explicit:1,0 --bind cpu -- @/probe_tasks raw").out, "threads 0 1 0 1\n");
    EXPECT_EQ(exec("--policy explicit:1,0 --bind cpu -- @/probe_threads first").out, "main 1 threads 0 1 0 1\n");
    EXPECT_THAT(exec("-- sh -c 'echo preload $LD_PRELOAD'").out, HasSubstr("libpinwise-agent.so"));
    EXPECT_EQ(exec("--attach ptrace -- sh -c 'echo preload $LD_PRELOAD'").out,
              run_shell("echo preload $LD_PRELOAD").out);
    const Ran refused = exec("--attach preload -- @/probe_tasks raw");
    EXPECT_EQ(refused.exit_code(), 2);
    EXPECT_THAT(refused.out, HasSubstr("statically linked"));
}

TEST_F(TracedCommandLine, SaysWhyPtraceIsNotPermitted) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "LeakSanitizer itself needs ptrace";
#endif
    const std::string forbidden = "exec @/probe_no_ptrace @/pinwise exec ";
    if (run_shell("exec @/probe_no_ptrace true").exit_code() == 77) GTEST_SKIP() << "needs seccomp";
    const Ran wished = run_shell(forbidden + "--attach ptrace -- true");
    EXPECT_EQ(wished.exit_code(), 1);
    EXPECT_THAT(wished.out, HasSubstr("ptrace is not permitted"));
    EXPECT_EQ(wished.out.find('\n'), wished.out.size() - 1) << "one line: " << wished.out;
    EXPECT_EQ(run_shell(forbidden + "-- true").exit_code(), 0) << "dynamic programs need no ptrace";
    if (!PINWISE_HAS_STATIC_LIBC) return;
    const Ran chosen = run_shell(forbidden + "-- @/probe_tasks status 0");
    EXPECT_EQ(chosen.exit_code(), 1);
    EXPECT_THAT(chosen.out, HasSubstr("is statically linked, and ptrace is not permitted"));
    EXPECT_EQ(run_shell(forbidden + "--policy os -- @/probe_tasks status 7").exit_code(), 7);
}

TEST_F(TracedCommandLine, SaysWhatIsWrong) {
    const Ran unknown = exec("--attach gdb -- true");
    EXPECT_EQ(unknown.exit_code(), 2);
    EXPECT_THAT(unknown.out, HasSubstr("preload, ptrace or auto"));
    EXPECT_EQ(exec("--attach ptrace -- no-such-command").exit_code(), 127);
    const Ran broken = run_shell(
        "file=$(mktemp); echo '#!/no/such/interpreter' > $file; chmod +x $file; @/pinwise exec --attach ptrace -- "
        "$file; echo $?; rm $file");
    EXPECT_THAT(broken.out, HasSubstr("cannot execute"));
    EXPECT_THAT(broken.out, HasSubstr("\n126\n"));
}

TEST_F(TracedCommandLine, LeavesDebuggersARefusalOfTheirOwn) {
    EXPECT_EQ(exec("--attach ptrace -- @/probe_tasks trace").out, "refused 1\n");
}

TEST_F(TracedCommandLine, RefusesProgramsThatGainPrivileges) {
    const Ran ran = run_shell(
        "file=$(mktemp); cp @/probe_tasks $file && chown 12345 $file && chmod 4755 $file || exit 77; "
        "@/pinwise exec --attach ptrace -- $file status 0; echo $?; rm $file");
    if (ran.exit_code() == 77) GTEST_SKIP() << "only root can give a file away";
    EXPECT_THAT(ran.out, HasSubstr("is setuid"));
    EXPECT_THAT(ran.out, HasSubstr("\n2\n"));
}

}  // namespace
}  // namespace pinwise
