// pinwise-stream as a user starts it: exit statuses, what goes to which stream, one clear line for a mistake.

#include <array>
#include <cstdio>
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
using testing::Not;

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

/// Runs pinwise-stream through the shell, with `environment` before it.
Outcome run_stream_program(const std::string& arguments, const std::string& environment = "") {
    const TemporaryTree tree;
    const std::string out = tree.root() / "out";
    const std::string err = tree.root() / "err";
    const std::string command =
        environment + " " PINWISE_BIN_DIR "/pinwise-stream " + arguments + " >" + out + " 2>" + err;
    const int wait_status = std::system(command.c_str());
    return {WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1, content_of(out), content_of(err)};
}

void expect_one_clear_line(const Outcome& outcome, int status, const std::string& words) {
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, testing::StartsWith("pinwise-stream: "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(words));
}

TEST(StreamProgram, prints_STREAMs_lines_and_exits_0) {
    const auto outcome = run_stream_program("--threads 2 --size 100003");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    for (const char* line : {"Function    Best Rate MB/s", "\nCopy:  ", "\nScale:  ", "\nAdd:  ", "\nTriad:  ",
                             "variant of the STREAM", "verification: passed"})
        EXPECT_THAT(outcome.out, HasSubstr(line));
}

TEST(StreamProgram, with_json_to_stdout_prints_the_document_alone_there) {
    const auto outcome =
        run_stream_program("--threads 7 --size 1000003 --ntimes 4 --stores nontemporal --thp off --json -");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["workload"], "stream");
    EXPECT_EQ(json["parameters"]["threads"], 7);
    EXPECT_EQ(json["parameters"]["elements"], 1000003);
    EXPECT_EQ(json["parameters"]["array_bytes"], 8000024);
    EXPECT_EQ(json["parameters"]["stores"], "nontemporal");
    EXPECT_EQ(json["parameters"]["thp"], "off");
    EXPECT_EQ(json["verification"]["passed"], true);
    EXPECT_EQ(json["threads"].size(), 7U);
    ASSERT_EQ(json["metrics"].size(), 4U);
    ASSERT_EQ(json["iterations"].size(), 4U);
    for (std::size_t kernel = 0; kernel < 4; ++kernel) {
        const auto times_s = json["iterations"][kernel]["times_s"].get<std::vector<double>>();
        ASSERT_EQ(times_s.size(), 4U);
        const double bytes = (kernel < 2 ? 16.0 : 24.0) * 1000003;
        const double best = bytes / *std::min_element(times_s.begin() + 1, times_s.end()) * 1e-6;
        EXPECT_DOUBLE_EQ(json["metrics"][kernel]["value"].get<double>(), best);
    }
    EXPECT_THAT(outcome.err, HasSubstr("Triad:"));
}

TEST(StreamProgram, with_json_to_a_file_prints_the_summary_on_stdout_and_writes_the_file) {
    const TemporaryTree tree;
    const std::string path = tree.root() / "result.json";
    const auto outcome = run_stream_program("--threads 1 --size 64KiB --json " + path);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("Triad:"));
    EXPECT_EQ(nlohmann::json::parse(content_of(path))["parameters"]["elements"], 8192);
}

TEST(StreamProgram, takes_more_threads_than_elements_and_than_CPUs_and_notes_the_latter) {
    const auto outcome = run_stream_program("--threads 33 --size 5 --ntimes 2 --json -", "OMP_WAIT_POLICY=passive");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["parameters"]["omp_wait_policy"], "passive");
    EXPECT_EQ(json["threads"].size(), 33U);
    if (json["parameters"]["allowed_cpus"].size() < 33) {
        EXPECT_THAT(json["notes"].dump(), HasSubstr("33 threads share"));
    }
}

TEST(StreamProgram, takes_the_caches_total_from_the_option_and_chooses_stores_by_it) {
    const auto outcome = run_stream_program("--threads 1 --size 80kB --llc-bytes 20kB --json -");
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["parameters"]["llc_bytes"], 20000);
    EXPECT_DOUBLE_EQ(json["parameters"]["llc_ratio"].get<double>(), 4.0);
    EXPECT_EQ(json["parameters"]["stores"], "nontemporal");
    EXPECT_TRUE(json["notes"].empty()) << json["notes"];
}

TEST(StreamProgram, threads_default_to_what_OpenMP_is_told) {
    const auto json = nlohmann::json::parse(run_stream_program("--size 1000 --json -", "OMP_NUM_THREADS=3").out);
    EXPECT_EQ(json["parameters"]["threads"], 3);
}

TEST(StreamProgram, keeps_points_in_numbers_under_a_locale_of_commas) {
    const auto outcome = run_stream_program("--threads 1 --size 1000 --json -", "LC_ALL=de_DE.UTF-8");
    EXPECT_TRUE(nlohmann::json::accept(outcome.out));
}

TEST(StreamProgram, answers_a_mistake_with_one_line_and_2) {
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"--bogus", "--bogus"},
        {"extra", "extra"},
        {"--threads 0", "--threads"},
        {"--threads -1", "--threads"},
        {"--threads 99999999999999", "--threads"},
        {"--threads two", "--threads"},
        {"--threads", "--threads"},
        {"--ntimes 1", "--ntimes"},
        {"--ntimes 10001", "--ntimes"},
        {"--size 12Q", "'12Q'"},
        {"--size 0", "'0'"},
        {"--size ''", "''"},
        {"--size 7B", "--size"},
        {"--llc-bytes 0", "--llc-bytes"},
        {"--stores fast", "nontemporal"},
        {"--thp maybe", "default"},
        {"--json /nonexistent/dir/x", "/nonexistent/dir/x"}};
    for (const auto& [arguments, words] : mistakes) {
        SCOPED_TRACE(arguments);
        expect_one_clear_line(run_stream_program(arguments), 2, words);
    }
}

TEST(StreamProgram, refuses_arrays_beyond_memory_with_both_figures) {
    const auto outcome = run_stream_program("--size 900TB --threads 1");
    expect_one_clear_line(outcome, 2, "need 2456 TiB");
    EXPECT_THAT(outcome.err, HasSubstr("is available"));
}

TEST(StreamProgram, fails_with_1_when_the_runtime_gives_fewer_threads) {
    expect_one_clear_line(run_stream_program("--threads 2 --size 1000", "OMP_THREAD_LIMIT=1"), 1,
                          "asked for 2 threads");
}

TEST(StreamProgram, fails_with_1_when_the_document_cannot_be_written) {
    const auto outcome = run_stream_program("--threads 1 --size 1000 --json /dev/full");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("/dev/full"));
}

TEST(StreamProgram, explains_itself) {
    const auto help = run_stream_program("--help");
    EXPECT_EQ(help.status, 0);
    for (const char* option :
         {"--threads", "--size", "--ntimes", "--stores", "--thp", "--llc-bytes", "--json", "Examples", "Exit status"})
        EXPECT_THAT(help.out, HasSubstr(option));
    EXPECT_EQ(run_stream_program("--version").status, 0);
}

}  // namespace
}  // namespace pinwise
