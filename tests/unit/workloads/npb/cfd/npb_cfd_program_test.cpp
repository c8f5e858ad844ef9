// npb-bt, npb-sp and npb-lu as a user starts them.

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

Outcome run_program(const std::string& program, const std::string& arguments) {
    const TemporaryTree tree;
    const std::string out = tree.root() / "out";
    const std::string err = tree.root() / "err";
    const std::string command = PINWISE_BIN_DIR "/" + program + " " + arguments + " >" + out + " 2>" + err;
    const int wait_status = std::system(command.c_str());
    return {WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1, content_of(out), content_of(err)};
}

class CfdPrograms : public testing::TestWithParam<const char*> {};

TEST_P(CfdPrograms, print_NPBs_lines_and_exit_0) {
    const auto outcome = run_program(GetParam(), "--class S --threads 2");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    for (const char* words : {" Benchmark Completed.", "Size            =             12x  12x  12",
                              "Operation type  =           floating point",
                              "Verification    =               SUCCESSFUL", "residual norms", "error norms"})
        EXPECT_THAT(outcome.out, HasSubstr(words));
}

TEST_P(CfdPrograms, give_every_time_step_in_the_document_with_either_touch) {
    for (const char* touch : {"parallel", "master"}) {
        const auto outcome = run_program(GetParam(), std::string("--class S --threads 3 --json - --touch ") + touch);
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        const auto json = nlohmann::json::parse(outcome.out);
        EXPECT_EQ(json["workload"], GetParam());
        EXPECT_EQ(json["parameters"]["touch"], touch);
        EXPECT_EQ(json["verification"]["passed"], true);
        EXPECT_EQ(json["threads"].size(), 3U);
        EXPECT_EQ(json["iterations"][0]["kernel"], "time step");
        EXPECT_EQ(json["iterations"][0]["times_s"].size(), json["parameters"]["niter"].get<std::size_t>());
        EXPECT_FALSE(json["parameters"]["vector_target"].get<std::string>().empty());
    }
}

TEST_P(CfdPrograms, say_how_much_memory_a_class_needs_where_there_is_not_enough) {
    const auto outcome = run_program(GetParam(), "--class F");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("--class F: it needs"));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_P(CfdPrograms, take_many_more_threads_than_planes) {
    const auto outcome = run_program(GetParam(), "--class S --threads 200 --json -");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["threads"].size(), 200U);
}

INSTANTIATE_TEST_SUITE_P(All, CfdPrograms, testing::Values("npb-bt", "npb-sp", "npb-lu"),
                         [](const auto& program) { return std::string(program.param + 4); });

}  // namespace
}  // namespace pinwise
