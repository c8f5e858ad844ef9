// pinwise-hackbench as a user starts it: all its shapes, one clear line for what goes wrong, nothing left running.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/unit/workloads/jobs/marked_run.hpp"

namespace pinwise {
namespace {

using test::MarkedRun;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string program = "exec " PINWISE_BIN_DIR "/pinwise-hackbench ";
const std::string endless = "2 --fds 3 --loops 2000000000";

std::string of_both(const std::string& ipc, const std::string& mode) {
    return " --ipc " + ipc + " --mode " + mode;
}

void expect_one_clear_line(const MarkedRun& run, const std::string& words) {
    EXPECT_THAT(run.out(), IsEmpty());
    const std::string err = run.err();
    EXPECT_THAT(err, testing::StartsWith("pinwise-hackbench: "));
    EXPECT_EQ(std::ranges::count(err, '\n'), 1) << err;
    EXPECT_THAT(err, HasSubstr(words));
}

class Shapes : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Shapes, pass_all_messages_and_print_their_time) {
    const auto [ipc, mode] = GetParam();
    MarkedRun run(program + "2 --fds 4 --loops 10" + of_both(ipc, mode));
    EXPECT_EQ(run.wait(), 0) << run.err();
    EXPECT_THAT(run.out(), HasSubstr("2 groups of 4 senders and 4 receivers: 16 " + std::string(mode)));
    EXPECT_THAT(run.out(), testing::ContainsRegex("\nTime: [0-9]+\\.[0-9]{3}\n"));
    EXPECT_TRUE(run.nothing_is_left());
}

TEST_P(Shapes, pass_messages_larger_than_any_buffer) {
    const auto [ipc, mode] = GetParam();
    MarkedRun run(program + "1 --fds 2 --loops 3 --size 1048576" + of_both(ipc, mode));
    EXPECT_EQ(run.wait(), 0) << run.err();
}

TEST_P(Shapes, leave_nothing_running_after_SIGTERM) {
    const auto [ipc, mode] = GetParam();
    const std::size_t processes = mode == std::string("thread") ? 1 : 12;
    MarkedRun run(program + endless + of_both(ipc, mode));
    ASSERT_TRUE(MarkedRun::becomes([&] { return run.processes().size() == processes; }));
    kill(run.pid(), SIGTERM);
    EXPECT_EQ(run.wait(), 1);
    expect_one_clear_line(run, "ended by SIGTERM");
    EXPECT_THAT(run.processes(), IsEmpty()) << "at its end, not some time after it";
}

TEST_P(Shapes, leave_nothing_running_when_killed) {
    const auto [ipc, mode] = GetParam();
    MarkedRun run(program + endless + of_both(ipc, mode));
    ASSERT_TRUE(MarkedRun::becomes([&] { return !run.processes().empty(); }));
    kill(run.pid(), SIGKILL);
    EXPECT_EQ(run.wait(), 128 + SIGKILL);
    EXPECT_TRUE(run.nothing_is_left());
}

TEST_P(Shapes, end_with_the_first_worker_that_dies) {
    const auto [ipc, mode] = GetParam();
    MarkedRun run(program + endless + of_both(ipc, mode));
    ASSERT_TRUE(MarkedRun::becomes([&] { return !run.processes().empty(); }));
    kill(run.processes().front(), SIGABRT);
    EXPECT_EQ(run.wait(), 1);
    expect_one_clear_line(run, "a ");
    EXPECT_THAT(run.processes(), IsEmpty());
}

TEST_P(Shapes, end_at_their_time_limit) {
    const auto [ipc, mode] = GetParam();
    MarkedRun run(program + endless + " --timeout 0.2" + of_both(ipc, mode));
    EXPECT_EQ(run.wait(), 1);
    expect_one_clear_line(run, "--timeout");
    EXPECT_THAT(run.processes(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, Shapes,
                         testing::Values(std::pair{"pipe", "process"}, std::pair{"socket", "process"},
                                         std::pair{"pipe", "thread"}, std::pair{"socket", "thread"}),
                         [](const auto& shape) { return std::string(shape.param.first) + "_" + shape.param.second; });

TEST(HackbenchProgram, writes_one_document) {
    MarkedRun run(program + "--groups 1 --fds 2 --loops 3 --ipc pipe --json -");
    ASSERT_EQ(run.wait(), 0) << run.err();
    const auto json = nlohmann::json::parse(run.out());
    EXPECT_EQ(json["workload"], "hackbench");
    EXPECT_EQ(json["variant"], "pipe-process");
    EXPECT_EQ(json["parameters"]["threads"], 4);
    EXPECT_EQ(json["metrics"][0]["name"], "Time");
    EXPECT_GT(json["metrics"][0]["value"], 0.0);
    EXPECT_EQ(json["metrics"][0]["better"], "lower");
    EXPECT_EQ(json["verification"]["passed"], true);
    EXPECT_THAT(run.err(), HasSubstr("Time: "));
}

TEST(HackbenchProgram, says_which_limit_of_descriptors_is_in_its_way) {
    MarkedRun run("ulimit -n 64; " + program + "4 --mode thread");
    EXPECT_EQ(run.wait(), 1);
    expect_one_clear_line(run, "4 groups needs 192 open descriptors, the limit is 64");
}

TEST(HackbenchProgram, raises_its_soft_limit_of_descriptors) {
    MarkedRun run("ulimit -Sn 64; " + program + "4 --mode thread --loops 1");
    EXPECT_EQ(run.wait(), 0) << run.err();
}

/// The limit of processes does not hold for root.
TEST(HackbenchProgram, says_which_limit_of_processes_is_in_its_way) {
    const std::string as_nobody =
        geteuid() == 0 ? "setpriv --reuid 61234 --clear-groups -- prlimit --nproc=12 -- " : "prlimit --nproc=12 -- ";
    if (MarkedRun possible("exec " + as_nobody + PINWISE_BIN_DIR "/pinwise-hackbench --version"); possible.wait() != 0)
        GTEST_SKIP() << "cannot become a user with a limit: " << possible.err();
    for (const char* mode : {"process", "thread"}) {
        MarkedRun run("exec " + as_nobody + PINWISE_BIN_DIR "/pinwise-hackbench 2 --mode " + mode);
        EXPECT_EQ(run.wait(), 1);
        expect_one_clear_line(run, "could not be started");
        EXPECT_THAT(run.err(), HasSubstr("ulimit -u"));
        EXPECT_THAT(run.processes(), IsEmpty());
    }
}

TEST(HackbenchProgram, answers_a_mistake_with_one_line_and_2) {
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"--bogus", "--bogus"},      {"0", "groups"},          {"1001", "groups"},
        {"two", "groups"},           {"--fds 0", "--fds"},     {"--fds 501", "--fds"},
        {"--size 0", "--size"},      {"--loops 0", "--loops"}, {"--ipc shm", "--ipc"},
        {"--mode fiber", "mode"},    {"--timeout 0", "time"},  {"--json /nonexistent/x", "/non"},
        {"--size 2000000", "--size"}};
    for (const auto& [arguments, words] : mistakes) {
        SCOPED_TRACE(arguments);
        MarkedRun run(program + arguments);
        EXPECT_EQ(run.wait(), 2);
        expect_one_clear_line(run, words);
    }
}

TEST(HackbenchProgram, explains_itself) {
    MarkedRun run(program + "--help");
    EXPECT_EQ(run.wait(), 0);
    for (const char* words : {"--groups", "--fds", "--ipc", "--mode", "--size", "--loops", "--timeout", "--json",
                              "Examples", "Exit status"})
        EXPECT_THAT(run.out(), HasSubstr(words));
}

}  // namespace
}  // namespace pinwise
