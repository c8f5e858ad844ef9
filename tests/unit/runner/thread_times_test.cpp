// What a workload knows of the time of its threads on each node, from its document to threads.csv.

#include <gmock/gmock.h>

#include "runner/record/csv_reader.hpp"
#include "runner/record/threads_csv.hpp"
#include "runner/trial/workload_output.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

std::string document(const std::string& thread) {
    return R"({"schema":1,"metrics":[{"name":"Time","unit":"s","value":1,"better":"lower"}],)"
           R"("verification":{"passed":true},"threads":[{"tid":100,"first_cpu":1,"last_cpu":2)" +
           thread + "}]}";
}

TEST(ThreadTimes, AreReadFromTheDocumentOfTheWorkload) {
    const auto output =
        parse_workload_output(document(R"(,"user_s":2.5,"node_times":{"means":"own","seconds":{"0":0.5,"3":1.9}})"));
    ASSERT_TRUE(output) << output.error().message;
    const auto& times = output->threads.at(0).times;
    ASSERT_TRUE(times);
    EXPECT_EQ(times->tid, 100);
    EXPECT_EQ(times->user_s, 2.5);
    EXPECT_EQ(times->means, "own");
    EXPECT_EQ(times->node_s, (std::map<int, double>{{0, 0.5}, {3, 1.9}}));
}

TEST(ThreadTimes, AreAbsentWhereTheyAreNotWhatTheyShouldBe) {
    for (const char* thread : {"", R"(,"user_s":1)", R"(,"user_s":"1","node_times":{"means":"own","seconds":{}})",
                               R"(,"user_s":1,"node_times":7)", R"(,"user_s":1,"node_times":{"means":"own"})",
                               R"(,"user_s":1,"node_times":{"means":"own","seconds":{"x":1}})",
                               R"(,"user_s":1,"node_times":{"means":"own","seconds":{"0":"1"}})",
                               R"(,"user_s":1,"node_times":{"means":"own","seconds":[1]})"}) {
        const auto output = parse_workload_output(document(thread));
        ASSERT_TRUE(output) << thread;
        EXPECT_FALSE(output->threads.at(0).times) << thread;
    }
}

TEST(ThreadTimes, AreInThreadsCsvByThreadId) {
    TrialResult result;
    for (const int tid : {100, 101, 102}) {
        ThreadRecord thread;
        thread.tid = tid;
        result.threads.push_back(thread);
    }
    result.thread_times = {{102, 4, "perf", {{0, 0.0}}}, {100, 2.5, "own", {{0, 0.5}, {1, 0}, {3, 1.5}}}};
    const auto csv = parse_csv(threads_header() + format_thread_rows(test::load(test::zen3_nps1), TrialSpec{}, result),
                               "threads.csv");
    ASSERT_TRUE(csv) << csv.error().message;
    const auto cell = [&](std::size_t row, std::string_view name) {
        return csv->records.at(row).cells.at(csv->column(name).value());
    };
    EXPECT_EQ(cell(0, "user_s"), "2.5");
    EXPECT_EQ(cell(0, "node_shares"), "0:25.0 3:75.0");
    EXPECT_EQ(cell(0, "node_shares_means"), "own");
    EXPECT_EQ(cell(1, "user_s"), "");
    EXPECT_EQ(cell(1, "node_shares"), "");
    EXPECT_EQ(cell(1, "node_shares_means"), "");
    EXPECT_EQ(cell(2, "user_s"), "4");
    EXPECT_EQ(cell(2, "node_shares"), "");
}

TEST(WorkloadArguments, SayTheCountInTheProgramsOwnWord) {
    const auto arguments_of = [](std::string_view name) {
        return workload_arguments(*find_workload(name), "program", 8, {}, "x.json");
    };
    EXPECT_THAT(arguments_of("stream"), testing::ElementsAre("program", "--threads", "8", "--json", "x.json"));
    EXPECT_THAT(arguments_of("numa_test"), testing::ElementsAre("program", "--jobs", "8", "--json", "x.json"));
    EXPECT_THAT(arguments_of("hackbench"), testing::ElementsAre("program", "--groups", "8", "--json", "x.json"));
}

}  // namespace
}  // namespace pinwise
