// Whole runs on small arrays, the statistics, and the report of a run that went wrong.

#include "workloads/stream/stream_run.hpp"

#include <limits>

#include <gmock/gmock.h>

#include "workloads/stream/statistics.hpp"
#include "workloads/stream/stream_report.hpp"

namespace pinwise::stream {
namespace {

using testing::HasSubstr;
using testing::Not;
using workloads::start_team;
using workloads::ThpAdvice;

RunResult run_small(std::uint64_t elements, int threads, Stores stores, int ntimes = 3) {
    auto team = start_team(threads);
    auto result = run_stream({elements, ntimes, stores, ThpAdvice::off}, team.value());
    return result.value();
}

TEST(StreamRun, verifies_without_any_error_for_any_size_and_number_of_threads) {
    for (const std::uint64_t elements : {1U, 2U, 7U, 8U, 9U, 63U, 100U, 1001U, 65537U})
        for (const int threads : {1, 2, 3, 7})
            for (const Stores stores : {Stores::regular, Stores::nontemporal}) {
                const auto result = run_small(elements, threads, stores);
                EXPECT_TRUE(result.verification.passed) << result.verification.message;
                EXPECT_EQ(result.verification.max_error, 0.0);
            }
}

TEST(StreamRun, of_1000003_elements_with_7_threads_is_right_to_the_last_element) {
    const auto result = run_small(1'000'003, 7, Stores::nontemporal, 10);
    EXPECT_TRUE(result.verification.passed) << result.verification.message;
    for (const auto& times_s : result.times_s) {
        EXPECT_EQ(times_s.size(), 10U);
        EXPECT_THAT(times_s, testing::Each(testing::Gt(0.0)));
    }
}

TEST(StreamRun, with_many_iterations_neither_overflows_nor_drifts) {
    const auto result = run_small(100, 1, Stores::regular, 2000);
    EXPECT_TRUE(result.verification.passed) << result.verification.message;
    EXPECT_EQ(result.verification.max_error, 0.0);
}

TEST(StreamRun, samples_the_pages_that_each_thread_uses) {
    auto team = start_team(3).value();
    const auto result = run_stream({30'000, 2, Stores::regular, ThpAdvice::off}, team);
    ASSERT_TRUE(result);
    if (!result->pages.node_pages) GTEST_SKIP() << result->pages.unavailable_because;
    for (const auto& thread : team.threads) {
        std::uint64_t pages = 0;
        for (const auto& [node, count] : thread.node_pages.value())
            pages += count;
        EXPECT_GT(pages, 0U);
        EXPECT_GE(thread.last_cpu, 0);
    }
}

class Verify : public testing::Test {
protected:
    static constexpr std::uint64_t iterations = 5;
    static constexpr std::size_t elements = 1001;

    Arrays arrays() { return {a_, b_, c_}; }

    std::vector<double> a_ = std::vector<double>(elements, closed_form(iterations).a);
    std::vector<double> b_ = std::vector<double>(elements, closed_form(iterations).b);
    std::vector<double> c_ = std::vector<double>(elements, closed_form(iterations).c);
};

TEST_F(Verify, passes_right_arrays) {
    EXPECT_TRUE(verify(arrays(), 3, iterations).passed);
}

TEST_F(Verify, fails_arrays_of_another_number_of_iterations) {
    EXPECT_FALSE(verify(arrays(), 3, iterations + 1).passed);
}

TEST_F(Verify, finds_one_wrong_element_in_any_array_and_any_threads_part) {
    for (auto* array : {&a_, &b_, &c_})
        for (const std::size_t where : {std::size_t{0}, std::size_t{500}, elements - 1}) {
            const double right = (*array)[where];
            (*array)[where] = right * (1 + 1e-12);
            const auto verification = verify(arrays(), 3, iterations);
            EXPECT_FALSE(verification.passed);
            EXPECT_THAT(verification.message, HasSubstr(std::to_string(where) + "]"));
            (*array)[where] = std::numeric_limits<double>::quiet_NaN();
            EXPECT_FALSE(verify(arrays(), 3, iterations).passed);
            (*array)[where] = right;
        }
}

TEST(StreamStatistics, leave_out_the_first_iteration_and_count_bytes_as_STREAM_does) {
    const std::vector<double> times_s{100.0, 0.5, 0.25, 0.75};
    const auto statistics = statistics_of(times_s, 1'000'000);
    EXPECT_DOUBLE_EQ(statistics.min_s, 0.25);
    EXPECT_DOUBLE_EQ(statistics.avg_s, 0.5);
    EXPECT_DOUBLE_EQ(statistics.max_s, 0.75);
    EXPECT_DOUBLE_EQ(statistics.best_mb_per_s, 4.0);
    EXPECT_EQ(bytes_moved(0, 1'000'003), 16'000'048U);
    EXPECT_EQ(bytes_moved(1, 1'000'003), 16'000'048U);
    EXPECT_EQ(bytes_moved(2, 1'000'003), 24'000'072U);
    EXPECT_EQ(bytes_moved(3, 1'000'003), 24'000'072U);
}

FinishedRun finished_run() {
    FinishedRun run;
    run.llc = {32 << 20, "1 LLC of the allowed CPUs, from sysfs", false};
    run.size = {1'000'000, 0.25, {"a note on the size"}};
    run.parameters = {1'000'000, 3, Stores::nontemporal, ThpAdvice::on};
    run.team.threads = {{0, 10, 4, 5, 0, {}}, {1, 11, 6, 6, 0, {}}};
    run.team.allowed_cpus = {4, 5, 6};
    for (auto& times_s : run.result.times_s)
        times_s = {1.0, 0.016, 0.032};
    run.result.verification = {true, 0, tolerance, ""};
    run.result.pages.unavailable_because = "move_pages query: Operation not permitted";
    return run;
}

TEST(StreamReport, has_best_rates_under_STREAMs_names) {
    const auto report = make_report(finished_run());
    ASSERT_EQ(report.metrics.size(), 4U);
    EXPECT_EQ(report.metrics[0].name, "Copy");
    EXPECT_EQ(report.metrics[0].unit, "MB/s");
    EXPECT_DOUBLE_EQ(report.metrics[0].value, 1000.0);
    EXPECT_EQ(report.metrics[3].name, "Triad");
    EXPECT_DOUBLE_EQ(report.metrics[3].value, 1500.0);
    EXPECT_EQ(report.parameters["llc_ratio"], 0.25);
    EXPECT_THAT(report.notes, testing::ElementsAre("a note on the size"));
}

TEST(StreamReport, prints_the_lines_that_readers_of_STREAM_look_for_and_the_label) {
    const auto run = finished_run();
    const auto text = result_text(run, make_report(run));
    EXPECT_THAT(text, HasSubstr("variant of the STREAM benchmark code"));
    EXPECT_THAT(text, HasSubstr("Function    Best Rate MB/s  Avg time     Min time     Max time\n"
                                "Copy:            1000.0     0.024000     0.016000     0.032000\n"
                                "Scale:           1000.0     0.024000     0.016000     0.032000\n"
                                "Add:             1500.0     0.024000     0.016000     0.032000\n"
                                "Triad:           1500.0     0.024000     0.016000     0.032000\n"));
    EXPECT_THAT(text, HasSubstr("Operation not permitted"));
    EXPECT_THAT(text, HasSubstr("verification: passed"));
}

TEST(StreamReport, of_a_failed_check_gives_no_rate_at_all) {
    auto run = finished_run();
    run.result.verification = {false, std::numeric_limits<double>::infinity(), tolerance, "a[3] is nan instead of 1"};
    const auto report = make_report(run);
    const auto text = result_text(run, report);
    EXPECT_THAT(text, HasSubstr("verification: FAILED: a[3] is nan instead of 1"));
    EXPECT_THAT(text, Not(HasSubstr("Copy:")));
    EXPECT_TRUE(workloads::to_json(report)["metrics"].empty());
}

TEST(StreamReport, notes_threads_that_share_CPUs_and_caches_that_are_assumed) {
    auto run = finished_run();
    run.team.allowed_cpus = {4};
    run.llc.is_assumed = true;
    const auto notes = make_report(run).notes;
    EXPECT_THAT(notes, testing::Contains(HasSubstr("2 threads share 1 allowed CPU")));
    EXPECT_THAT(notes, testing::Contains(HasSubstr("--llc-bytes")));
}

}  // namespace
}  // namespace pinwise::stream
