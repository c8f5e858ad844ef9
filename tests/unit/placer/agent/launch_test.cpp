#include "placer/agent/launch.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/agent/descriptor.hpp"
#include "placer/topology/load_machine.hpp"

namespace pinwise {
namespace {

struct Ran {
    int status = 0;
    std::string out;
};

/// Runs a shell script with standard output in a pipe.
Ran run(LaunchSpec spec) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    const Descriptor reading(ends[0]);
    spec.stdout_fd = ends[1];
    const auto pid = launch(spec);
    close(ends[1]);
    EXPECT_TRUE(pid.has_value()) << pid.error().message;
    Ran ran;
    std::array<char, 4096> buffer{};
    ssize_t count = 0;
    while ((count = read(reading.get(), buffer.data(), buffer.size())) > 0) {
        ran.out.append(buffer.data(), static_cast<std::size_t>(count));
    }
    if (pid) waitpid(*pid, &ran.status, 0);
    return ran;
}

LaunchSpec script(std::string text) {
    LaunchSpec spec;
    spec.command = {"sh", "-c", std::move(text)};
    return spec;
}

TEST(Launch, GivesTheProgramItsMask) {
    const auto machine = load_machine("live");
    ASSERT_TRUE(machine.has_value());
    LaunchSpec spec = script("grep Cpus_allowed_list /proc/self/status");
    spec.cpus = CpuSet{machine->allowed.last()};
    EXPECT_EQ(run(spec).out, "Cpus_allowed_list:\t" + std::to_string(machine->allowed.last()) + "\n");
}

TEST(Launch, AcceptsMasksOfMoreThan1024Cpus) {
    const auto machine = load_machine("live");
    LaunchSpec spec = script("grep Cpus_allowed_list /proc/self/status");
    spec.cpus = CpuSet{machine->allowed.first(), 5000};
    EXPECT_EQ(run(spec).out, "Cpus_allowed_list:\t" + std::to_string(machine->allowed.first()) + "\n");
}

TEST(Launch, SaysWhichMaskCannotBeUsed) {
    LaunchSpec spec = script("true");
    spec.cpus = CpuSet{7000};
    const auto pid = launch(spec);
    ASSERT_FALSE(pid.has_value());
    EXPECT_EQ(pid.error().kind, ErrorKind::usage);
    EXPECT_THAT(pid.error().message, testing::HasSubstr("7000"));
}

TEST(Launch, PassesOnExitStatusAndSignal) {
    EXPECT_EQ(WEXITSTATUS(run(script("exit 42")).status), 42);
    const int status = run(script("kill -TERM $$")).status;
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(Launch, TellsMissingAndNotExecutableCommandsApart) {
    LaunchSpec spec;
    spec.command = {"no-such-command-anywhere"};
    EXPECT_THAT(launch(spec).error().message, testing::HasSubstr("not found"));
    spec.command = {"/etc/passwd"};
    EXPECT_THAT(launch(spec).error().message, testing::HasSubstr("not executable"));
    spec.command = {};
    EXPECT_EQ(launch(spec).error().kind, ErrorKind::usage);
}

TEST(Launch, ReportsWhatExecRefuses) {
    const std::string path = testing::TempDir() + "/pinwise-launch-broken-interpreter";
    std::ofstream(path) << "#!/no/such/interpreter\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    LaunchSpec spec;
    spec.command = {path};
    const auto pid = launch(spec);
    ASSERT_FALSE(pid.has_value());
    EXPECT_THAT(pid.error().message, testing::HasSubstr(path));
    std::filesystem::remove(path);
}

TEST(Launch, RunsAScriptWithoutInterpreterLineInTheShell) {
    const std::string path = testing::TempDir() + "/pinwise-launch-plain-script";
    std::ofstream(path) << "echo \"plain $1\"\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    LaunchSpec spec;
    spec.command = {path, "argument"};
    EXPECT_EQ(run(spec).out, "plain argument\n");
    std::filesystem::remove(path);
}

TEST(Launch, ClosesForeignDescriptorsAndDefaultsSignals) {
    const Descriptor foreign(fcntl(STDERR_FILENO, F_DUPFD, 50));
    ASSERT_GE(foreign.get(), 50);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    struct sigaction before {};
    sigaction(SIGUSR1, &ignore, &before);
    sigset_t blocked;
    sigset_t saved;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigprocmask(SIG_BLOCK, &blocked, &saved);
    const std::string question = "test -e /proc/self/fd/" + std::to_string(foreign.get()) + " && echo open";
    LaunchSpec signals;  // no shell, which has its own idea of blocked signals
    signals.command = {"grep", "-E", "SigBlk|SigIgn", "/proc/self/status"};
    EXPECT_EQ(run(script(question)).out, "");
    EXPECT_EQ(run(signals).out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    LaunchSpec transparent = script(question);
    transparent.inheritance = Inheritance::transparent;
    EXPECT_EQ(run(transparent).out, "open\n");
    signals.inheritance = Inheritance::transparent;
    EXPECT_EQ(run(signals).out, "SigBlk:\t0000000000000800\nSigIgn:\t0000000000000200\n");
    sigprocmask(SIG_SETMASK, &saved, nullptr);
    sigaction(SIGUSR1, &before, nullptr);
}

TEST(Launch, AddsAndOverridesEnvironmentVariables) {
    setenv("PINWISE_LAUNCH_TEST", "old", 1);
    LaunchSpec spec = script("echo $PINWISE_LAUNCH_TEST $PINWISE_LAUNCH_MORE");
    spec.environment = {"PINWISE_LAUNCH_TEST=new", "PINWISE_LAUNCH_MORE=more"};
    EXPECT_EQ(run(spec).out, "new more\n");
    unsetenv("PINWISE_LAUNCH_TEST");
}

TEST(Launch, EntersTheFolderAndFindsARelativeProgramFromOurs) {
    LaunchSpec spec = script("pwd");
    spec.working_directory = "/usr";
    EXPECT_EQ(run(spec).out, "/usr\n");
    spec.working_directory = "/no/such/folder";
    EXPECT_THAT(launch(spec).error().message, testing::HasSubstr("/no/such/folder"));
}

TEST(Launch, MakesAProcessGroupOfItsOwn) {
    LaunchSpec spec = script("ps -o pgid= -p $$ | tr -d ' '; echo $$");
    spec.new_process_group = true;
    const std::string out = run(spec).out;
    const auto middle = out.find('\n');
    EXPECT_EQ(out.substr(0, middle), out.substr(middle + 1, out.size() - middle - 2));
}

TEST(Launch, SetsStandardDescriptorsThatNeedEachOthersNumbers) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);
    LaunchSpec spec = script("echo to-err >&2");
    spec.stderr_fd = writing.get();
    const auto pid = launch(spec);
    writing = Descriptor();
    ASSERT_TRUE(pid.has_value());
    waitpid(*pid, nullptr, 0);
    std::array<char, 64> buffer{};
    const ssize_t count = read(reading.get(), buffer.data(), buffer.size());
    EXPECT_EQ(std::string(buffer.data(), static_cast<std::size_t>(count)), "to-err\n");
}

}  // namespace
}  // namespace pinwise
