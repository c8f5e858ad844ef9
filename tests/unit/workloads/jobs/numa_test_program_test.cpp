// pinwise-numa_test as a user starts it: verified jobs, the table, the disturbance, nothing left running.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/unit/workloads/jobs/marked_run.hpp"

namespace pinwise {
namespace {

using test::MarkedRun;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string bare = "exec " PINWISE_BIN_DIR "/pinwise-numa_test ";
const std::string brief = bare + "--size 1000 --sweeps 100 ";
const std::string endless = bare + "--size 1000 --sweeps 30000000000 ";
#if defined(__SANITIZE_ADDRESS__)
const std::string some_tenths = bare + "--size 1000 --sweeps 40000 ";
#else
const std::string some_tenths = bare + "--size 1000 --sweeps 300000 ";
#endif

nlohmann::json document_of(MarkedRun& run) {
    EXPECT_EQ(run.wait(), 0) << run.err();
    return nlohmann::json::parse(run.out(), nullptr, false);
}

double metric(const nlohmann::json& document, const std::string& name) {
    for (const auto& each : document["metrics"])
        if (each["name"] == name) return each["value"];
    ADD_FAILURE() << "no metric " << name;
    return -1;
}

void expect_one_clear_line(const MarkedRun& run, const std::string& words) {
    EXPECT_THAT(run.out(), IsEmpty());
    const std::string err = run.err();
    EXPECT_THAT(err, testing::StartsWith("pinwise-numa_test: "));
    EXPECT_EQ(std::ranges::count(err, '\n'), 1) << err;
    EXPECT_THAT(err, HasSubstr(words));
}

TEST(NumaTestProgram, prints_a_line_for_each_job_and_the_four_times) {
    MarkedRun run(brief + "--jobs 3 --disturb none");
    EXPECT_EQ(run.wait(), 0) << run.err();
    const std::string out = run.out();
    EXPECT_THAT(out, HasSubstr("| iSched MSched | UserTime(s)\n  1  "));
    EXPECT_THAT(out, HasSubstr("\n  3  "));
    for (const char* line : {"AverageUserTime ", "ElapsedTime ", "TotalUserTime ", "TotalSysTime ", "HomeShare ",
                             "verification: passed", "Nothing ran in the background"})
        EXPECT_THAT(out, HasSubstr(line));
    EXPECT_TRUE(run.nothing_is_left());
}

TEST(NumaTestProgram, writes_one_document_in_which_each_thread_is_a_job) {
    MarkedRun run(some_tenths + "2 --disturb none --json -");
    const auto json = document_of(run);
    EXPECT_EQ(json["workload"], "numa_test");
    EXPECT_EQ(json["variant"], "undisturbed");
    EXPECT_EQ(json["parameters"]["threads"], 2);
    EXPECT_EQ(json["parameters"]["elements"], 1000);
    EXPECT_EQ(json["verification"]["passed"], true);
    ASSERT_EQ(json["threads"].size(), 2U);
    double sum_s = 0;
    for (const auto& job : json["threads"]) {
        EXPECT_GT(job["tid"], 0);
        EXPECT_GE(job["first_cpu"], 0);
        EXPECT_EQ(job["node_times"]["means"], "own");
        double nodes_s = 0;
        for (const auto& [node, seconds] : job["node_times"]["seconds"].items())
            nodes_s += seconds.get<double>();
        EXPECT_GT(nodes_s, 0);
        EXPECT_LE(nodes_s, job["user_s"].get<double>() + 1e-9) << "read before the job's end";
        sum_s += job["user_s"].get<double>();
    }
    EXPECT_NEAR(metric(json, "TotalUserTime"), sum_s, 1e-9);
    EXPECT_NEAR(metric(json, "AverageUserTime"), sum_s / 2, 1e-9);
    EXPECT_GE(metric(json, "ElapsedTime"), 0);
    EXPECT_GE(metric(json, "TotalSysTime"), 0);
    EXPECT_LE(metric(json, "HomeShare"), 100 + 1e-9);
    EXPECT_EQ(json["iterations"][0]["times_s"].size(), 2U);
}

TEST(NumaTestProgram, knows_the_time_on_each_node_from_perf_where_that_is_permitted) {
    MarkedRun run(some_tenths + "2 --disturb none --node-times perf --json -");
    if (run.wait() == 1) {
        EXPECT_THAT(run.err(), HasSubstr("--node-times perf: the kernel refuses"));
        GTEST_SKIP() << run.err();
    }
    const auto json = document_of(run);
    for (const auto& job : json["threads"]) {
        EXPECT_EQ(job["node_times"]["means"], "perf");
        EXPECT_FALSE(job["node_times"]["seconds"].empty());
    }
}

TEST(NumaTestProgram, disturbs_the_jobs_and_times_their_return) {
    MarkedRun run(some_tenths + "2 --disturb 'echo one; sleep 0.02; echo Time: 0.02' --disturb-after 0.01 --json -");
    const auto json = document_of(run);
    EXPECT_EQ(json["variant"], "disturbed");
    EXPECT_EQ(json["parameters"]["disturbance_said"], "Time: 0.02");
    EXPECT_GE(json["parameters"]["disturbed_s"], 0.02);
    EXPECT_GE(metric(json, "HomeReturnTime"), 0);
    EXPECT_THAT(run.err(), HasSubstr("in the background: Time: 0.02"));
}

TEST(NumaTestProgram, finds_hackbench_beside_itself) {
    MarkedRun run("PATH=/usr/bin:/bin " + some_tenths + "2 --disturb 'pinwise-hackbench 1 --fds 2 --loops 1' " +
                  "--disturb-after 0");
    EXPECT_EQ(run.wait(), 0) << run.err();
    EXPECT_THAT(run.out(), HasSubstr("in the background: Time: "));
}

TEST(NumaTestProgram, keeps_what_is_preloaded_from_the_disturbance) {
    MarkedRun run("LD_PRELOAD=libm.so.6 " + some_tenths + "1 --disturb 'test -z \"$LD_PRELOAD\"' --disturb-after 0");
    EXPECT_EQ(run.wait(), 0) << run.err();
}

TEST(NumaTestProgram, ends_a_disturbance_that_outlives_the_jobs_with_all_it_started) {
    MarkedRun run(some_tenths + "1 --disturb 'trap \"\" TERM; setsid sleep 1000 & sleep 1000' --disturb-after 0");
    EXPECT_EQ(run.wait(), 0) << run.err();
    EXPECT_THAT(run.out(), HasSubstr("the disturbance outlived the jobs and was ended"));
    EXPECT_THAT(run.out(), Not(HasSubstr("HomeReturnTime")));
    EXPECT_THAT(run.processes(), IsEmpty());
}

TEST(NumaTestProgram, says_when_the_jobs_were_too_short_for_the_disturbance) {
    MarkedRun run(brief + "1 --disturb 'sleep 1' --disturb-after 1000");
    EXPECT_EQ(run.wait(), 0) << run.err();
    EXPECT_THAT(run.out(), HasSubstr("ended before the disturbance began"));
}

TEST(NumaTestProgram, fails_when_its_disturbance_fails) {
    MarkedRun run(endless + "2 --disturb 'echo no luck; exit 3' --disturb-after 0");
    EXPECT_EQ(run.wait(), 1);
    expect_one_clear_line(run, "the disturbance 'echo no luck; exit 3' failed: exit status 3: no luck");
    EXPECT_THAT(run.processes(), IsEmpty());
}

TEST(NumaTestProgram, leaves_nothing_running_after_a_signal) {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        MarkedRun run(endless + "3 --disturb 'sleep 1000' --disturb-after 0");
        ASSERT_TRUE(MarkedRun::becomes([&] { return run.processes().size() >= 4; }));
        kill(run.pid(), signal);
        EXPECT_EQ(run.wait(), 1);
        expect_one_clear_line(run, "ended by SIG");
        EXPECT_THAT(run.processes(), IsEmpty());
    }
}

TEST(NumaTestProgram, leaves_nothing_running_when_killed) {
    MarkedRun run(endless + "3 --disturb 'exec sleep 1000' --disturb-after 0");
    ASSERT_TRUE(MarkedRun::becomes([&] { return run.processes().size() >= 4; }));
    kill(run.pid(), SIGKILL);
    EXPECT_EQ(run.wait(), 128 + SIGKILL);
    EXPECT_TRUE(run.nothing_is_left());
}

TEST(NumaTestProgram, fails_with_the_first_job_that_dies) {
    MarkedRun run(endless + "3 --disturb none");
    ASSERT_TRUE(MarkedRun::becomes([&] { return run.processes().size() == 3; }));
    kill(run.processes().front(), SIGKILL);
    EXPECT_EQ(run.wait(), 1);
    expect_one_clear_line(run, "it ended with SIGKILL");
    EXPECT_THAT(run.processes(), IsEmpty());
}

TEST(NumaTestProgram, refuses_more_memory_than_there_is) {
    MarkedRun run(bare + "10000 --size 8GB --sweeps 1");
    EXPECT_EQ(run.wait(), 2);
    expect_one_clear_line(run, "is available");
}

TEST(NumaTestProgram, answers_a_mistake_with_one_line_and_2) {
    const std::vector<std::pair<std::string, std::string>> mistakes{{"--bogus", "--bogus"},
                                                                    {"0", "jobs"},
                                                                    {"10001", "jobs"},
                                                                    {"--size 0", "--size"},
                                                                    {"--size 19B", "--size"},
                                                                    {"--size much", "--size"},
                                                                    {"--sweeps 0", "--sweeps"},
                                                                    {"--size 1000000 --sweeps 40000000000", "--sweeps"},
                                                                    {"--disturb ''", "--disturb"},
                                                                    {"--disturb-after -1", "--disturb-after"},
                                                                    {"--node-times guess", "--node-times"},
                                                                    {"--thp maybe", "--thp"},
                                                                    {"--json /nonexistent/x", "/nonexistent"}};
    for (const auto& [arguments, words] : mistakes) {
        SCOPED_TRACE(arguments);
        MarkedRun run(bare + arguments);
        EXPECT_EQ(run.wait(), 2);
        expect_one_clear_line(run, words);
    }
}

TEST(NumaTestProgram, explains_itself) {
    MarkedRun run(bare + "--help");
    EXPECT_EQ(run.wait(), 0);
    for (const char* words : {"--jobs", "--size", "--sweeps", "--disturb", "--disturb-after", "--node-times", "--thp",
                              "--json", "Examples", "Exit status"})
        EXPECT_THAT(run.out(), HasSubstr(words));
}

}  // namespace
}  // namespace pinwise
