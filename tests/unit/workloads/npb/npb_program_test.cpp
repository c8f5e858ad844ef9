// The kernels of NPB as a user starts them: verified at every size and team that a test can afford, one clear line for
// a mistake.

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "tests/unit/workloads/temporary_tree.hpp"

namespace pinwise {
namespace {

using test::TemporaryTree;
using testing::HasSubstr;
using testing::IsEmpty;

#if defined(__SANITIZE_ADDRESS__)
const std::vector<std::string> verified_classes{"S"};
#else
const std::vector<std::string> verified_classes{"S", "W", "A"};
#endif

struct Outcome {
    int status = -1;
    std::string out;
    std::string err;
};

std::string content_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// Runs the program of a kernel through the shell, with `before` in front of it.
Outcome run_kernel(const std::string& kernel, const std::string& arguments, const std::string& before = "") {
    const TemporaryTree tree;
    const std::string out = tree.root() / "out";
    const std::string err = tree.root() / "err";
    const std::string command =
        before + " " PINWISE_BIN_DIR "/npb-" + kernel + " " + arguments + " >" + out + " 2>" + err;
    const int wait_status = std::system(command.c_str());
    return {WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1, content_of(out), content_of(err)};
}

nlohmann::json document_of(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
}

void expect_one_clear_line(const std::string& kernel, const Outcome& outcome, int status, const std::string& words) {
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, testing::StartsWith("npb-" + kernel + ": "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(words));
}

class NpbProgram : public testing::TestWithParam<std::string> {};

TEST_P(NpbProgram, verifies_its_classes_at_1_2_3_and_7_threads) {
    for (const std::string& problem_class : verified_classes) {
        for (const char* threads : {"1", "2", "3", "7"}) {
            const auto outcome = run_kernel(GetParam(), "--class " + problem_class + " --threads " + threads);
            EXPECT_EQ(outcome.status, 0) << problem_class << ", " << threads << " threads\n" << outcome.out;
            EXPECT_THAT(outcome.out, HasSubstr("Verification    =               SUCCESSFUL"));
        }
    }
}

TEST_P(NpbProgram, verifies_with_many_more_threads_than_CPUs) {
    const auto outcome = run_kernel(GetParam(), "--class S --threads 150");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("150 threads share"));
}

TEST_P(NpbProgram, verifies_with_all_data_touched_by_the_main_thread) {
    const auto json = document_of(run_kernel(GetParam(), "--class S --threads 3 --touch master --thp off --json -"));
    EXPECT_EQ(json["parameters"]["touch"], "master");
    EXPECT_EQ(json["parameters"]["thp"], "off");
    EXPECT_EQ(json["verification"]["passed"], true);
}

TEST_P(NpbProgram, writes_one_document_with_metrics_iterations_threads_and_parameters) {
    const auto outcome = run_kernel(GetParam(), "--class s --threads 2 --json -");
    const auto json = document_of(outcome);
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["workload"], "npb-" + GetParam());
    EXPECT_EQ(json["parameters"]["class"], "S");
    EXPECT_EQ(json["parameters"]["threads"], 2);
    EXPECT_EQ(json["parameters"]["touch"], "parallel");
    EXPECT_EQ(json["threads"].size(), 2U);
    ASSERT_EQ(json["metrics"].size(), 2U);
    const double mop_per_s = json["metrics"][0]["value"];
    const double time_s = json["metrics"][1]["value"];
    EXPECT_EQ(json["metrics"][0]["name"], "Mop/s");
    EXPECT_EQ(json["metrics"][1]["name"], "Time");
    EXPECT_NEAR(mop_per_s * time_s * 1e6 / json["parameters"]["operations"].get<double>(), 1, 1e-9);
    ASSERT_FALSE(json["iterations"].empty());
    const auto times_s = json["iterations"][0]["times_s"].get<std::vector<double>>();
    EXPECT_GE(times_s.size(), 4U);
    for (const double each : times_s) {
        EXPECT_GE(each, 0);
        EXPECT_LE(each, time_s);
    }
    EXPECT_TRUE(json["pages"].is_object() || !json["pages_reason"].get<std::string>().empty());
    EXPECT_THAT(outcome.err, HasSubstr("Mop/s total")) << "the summary goes to standard error";
}

TEST_P(NpbProgram, runs_behind_one_allowed_CPU) {
    const auto outcome = run_kernel(GetParam(), "--class S --threads 4 --json -", "taskset -c 0");
    if (outcome.status == 127) GTEST_SKIP() << "no taskset";
    const auto json = document_of(outcome);
    EXPECT_THAT(json["notes"].dump(), HasSubstr("4 threads share 1 allowed CPU"));
}

TEST_P(NpbProgram, answers_a_mistake_with_one_line_and_2) {
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"--bogus", "--bogus"},      {"--class X", "--class"},     {"--class AA", "--class"},
        {"--class", "--class"},      {"--threads 0", "--threads"}, {"--threads 4097", "--threads"},
        {"--touch all", "parallel"}, {"--thp maybe", "default"},   {"--class S --json /nonexistent/x", "/nonexistent"}};
    for (const auto& [arguments, words] : mistakes) {
        SCOPED_TRACE(arguments);
        expect_one_clear_line(GetParam(), run_kernel(GetParam(), arguments), 2, words);
    }
}

TEST_P(NpbProgram, fails_with_1_when_the_runtime_gives_fewer_threads) {
    expect_one_clear_line(GetParam(), run_kernel(GetParam(), "--class S --threads 2", "OMP_THREAD_LIMIT=1"), 1,
                          "asked for 2 threads");
}

TEST_P(NpbProgram, explains_itself) {
    const auto help = run_kernel(GetParam(), "--help");
    EXPECT_EQ(help.status, 0);
    for (const char* words : {"--class", "--threads", "--touch", "--thp", "--json", "Examples", "Exit status"})
        EXPECT_THAT(help.out, HasSubstr(words));
    EXPECT_EQ(run_kernel(GetParam(), "--version").status, 0);
}

INSTANTIATE_TEST_SUITE_P(Kernels, NpbProgram, testing::Values("ep", "is", "cg", "mg", "ft", "ua"),
                         [](const auto& kernel) { return kernel.param; });

/// The largest class of these needs more memory than any machine has that runs tests.
TEST(NpbMemory, is_refused_with_both_figures) {
    for (const auto& [kernel, problem_class] : {std::pair{"cg", "F"}, std::pair{"mg", "F"}, std::pair{"ft", "F"}}) {
        const auto outcome = run_kernel(kernel, std::string("--threads 1 --class ") + problem_class);
        expect_one_clear_line(kernel, outcome, 2, "--class F: it needs");
        EXPECT_THAT(outcome.err, HasSubstr("is available"));
    }
}

TEST(NpbClasses, that_a_kernel_does_not_have_are_refused) {
    expect_one_clear_line("is", run_kernel("is", "--class F"), 2, "--class");
}

}  // namespace
}  // namespace pinwise
