#include "runner/report/workload_detail.hpp"

#include <gmock/gmock.h>

namespace pinwise::report {
namespace {

using testing::ElementsAre;

TEST(WorkloadDetail, HasIterationsAndTheLocalShareOfAllThreadsTogether) {
    const auto detail = parse_workload_detail(R"({
        "iterations": [{"kernel": "Copy", "times_s": [0.5, 0.25], "bytes": 100}, {"kernel": "whole", "times_s": [1]}],
        "threads": [{"last_node": 0, "node_pages": {"0": 30, "1": 10}}, {"last_node": 1, "node_pages": {"0": 60}},
                    {"last_node": -1, "node_pages": {"0": 1000}}, {"last_node": 0, "node_pages": null}]})");
    ASSERT_TRUE(detail);
    ASSERT_EQ(detail->iterations.size(), 2U);
    EXPECT_EQ(detail->iterations[0].kernel, "Copy");
    EXPECT_THAT(detail->iterations[0].times_s, ElementsAre(0.5, 0.25));
    EXPECT_EQ(detail->iterations[0].bytes, 100);
    EXPECT_FALSE(detail->iterations[1].bytes);
    EXPECT_DOUBLE_EQ(detail->local_percent.value_or(-1), 30.0);
}

TEST(WorkloadDetail, HasTheCourseOfTheLocalShare) {
    const auto detail = parse_workload_detail(R"({"pages": {"local_share": [{"time_s": 0, "percent": 100},
        {"time_s": 1.5, "percent": 40.5}, {"time_s": 2}, {"time_s": 3, "percent": 101}, {"time_s": "x", "percent": 1}, 7]}})");
    ASSERT_TRUE(detail);
    ASSERT_EQ(detail->local_course.size(), 2U);
    EXPECT_EQ(detail->local_course[1].time_s, 1.5);
    EXPECT_EQ(detail->local_course[1].percent, 40.5);
    EXPECT_TRUE(parse_workload_detail(R"({"pages": null})")->local_course.empty());
}

TEST(WorkloadDetail, LeavesOutWhatIsNoMeasurement) {
    const auto detail = parse_workload_detail(R"({"iterations": [{"kernel": "a", "times_s": [1, 0]},
        {"kernel": "b", "times_s": [1, -2]}, {"kernel": "c", "times_s": ["x"]}, {"kernel": "d", "times_s": []},
        {"kernel": 5, "times_s": [1]}, {"times_s": [1]}, 7, null, {"kernel": "e", "times_s": [1], "bytes": -4}],
        "threads": [5, {"last_node": "x", "node_pages": []}, {"last_node": 0, "node_pages": {"0": -5, "1": "y"}}]})");
    ASSERT_TRUE(detail);
    ASSERT_EQ(detail->iterations.size(), 1U);
    EXPECT_EQ(detail->iterations[0].kernel, "e");
    EXPECT_FALSE(detail->iterations[0].bytes);
    EXPECT_FALSE(detail->local_percent);
}

TEST(WorkloadDetail, OfWhatIsNoObjectIsAFailure) {
    for (const char* const text : {"", "[]", "7", "{", "\xff\xfe", "null"})
        EXPECT_FALSE(parse_workload_detail(text)) << text;
    EXPECT_TRUE(parse_workload_detail("{}"));
}

}  // namespace
}  // namespace pinwise::report
