// The programs as a user starts them: the small classes verified for odd numbers of threads, and what is recorded.

#include <cstdio>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "tests/unit/workloads/temporary_tree.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

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

Outcome run_kernel(const std::string& kernel, const std::string& arguments) {
    const test::TemporaryTree tree;
    const std::string out = tree.root() / "out";
    const std::string err = tree.root() / "err";
    const std::string command = PINWISE_BIN_DIR "/npb-" + kernel + " " + arguments + " >" + out + " 2>" + err;
    const int wait_status = std::system(command.c_str());
    return {WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1, content_of(out), content_of(err)};
}

#if defined(__SANITIZE_ADDRESS__)
const std::vector<std::string> classes{"S"};
#else
const std::vector<std::string> classes{"S", "W", "A"};
#endif

struct KernelCase {
    std::string name;
    std::string iteration;  ///< what its iterations are called
    std::vector<std::size_t> iterations;
};

class NpbClasses : public testing::TestWithParam<KernelCase> {};

TEST_P(NpbClasses, are_verified_at_one_two_three_and_seven_threads) {
    const KernelCase& kernel = GetParam();
    for (std::size_t i = 0; i < classes.size(); ++i)
        for (const std::size_t threads : {1U, 2U, 3U, 7U}) {
            const std::string arguments = "--class " + classes[i] + " --threads " + std::to_string(threads);
            const Outcome outcome = run_kernel(kernel.name, arguments + " --json -");
            ASSERT_EQ(outcome.status, 0) << kernel.name << ' ' << arguments << '\n' << outcome.err;
            const auto document = nlohmann::json::parse(outcome.out);
            EXPECT_TRUE(document["verification"]["passed"]);
            EXPECT_EQ(document["parameters"]["class"], classes[i]);
            EXPECT_EQ(document["threads"].size(), threads);
            EXPECT_EQ(document["metrics"].size(), 2U);
            for (const auto& times : document["iterations"])
                if (times["kernel"] == kernel.iteration) {
                    EXPECT_EQ(times["times_s"].size(), kernel.iterations[i]);
                }
            EXPECT_THAT(outcome.err, HasSubstr("SUCCESSFUL"));
            EXPECT_THAT(outcome.err, testing::Not(HasSubstr("UNSUCCESSFUL")));
        }
}

TEST_P(NpbClasses, run_with_more_threads_than_there_is_work_for) {
    EXPECT_EQ(run_kernel(GetParam().name, "--class S --threads 100").status, 0);
}

TEST_P(NpbClasses, record_who_touched_first_and_the_advice_on_huge_pages) {
    const Outcome outcome = run_kernel(GetParam().name, "--class S --threads 2 --touch master --thp off --json -");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto parameters = nlohmann::json::parse(outcome.out)["parameters"];
    EXPECT_EQ(parameters["touch"], "master");
    EXPECT_EQ(parameters["thp"], "off");
    EXPECT_FALSE(std::string(parameters["vector_target"]).empty());
}

TEST_P(NpbClasses, that_do_not_fit_into_memory_are_refused_with_both_figures) {
    const Outcome outcome = run_kernel(GetParam().name, "--class F --threads 1");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("TiB"));
    EXPECT_THAT(outcome.err, HasSubstr("available"));
}

INSTANTIATE_TEST_SUITE_P(Kernels, NpbClasses,
                         testing::Values(KernelCase{"ft", "step", {6, 6, 6}}, KernelCase{"mg", "cycle", {4, 4, 4}}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace pinwise
