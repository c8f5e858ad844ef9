// The JSON document that every workload writes.

#include "workloads/common/workload_report.hpp"

#include <fstream>
#include <limits>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/unit/workloads/temporary_tree.hpp"

namespace pinwise::workloads {
namespace {

using test::TemporaryTree;

WorkloadReport sample_report() {
    WorkloadReport report;
    report.workload = "stream";
    report.variant = "highway-regular";
    report.parameters["threads"] = 2;
    report.metrics = {{"Copy", "MB/s", 12345.5, Better::higher}, {"Time", "s", 1.5, Better::lower}};
    report.iterations = {{"Copy", {0.5, 0.25}}};
    report.verification = {true, 0, 1e-13, ""};
    report.threads = {{0, 100, 3, 4, 1, NodePages{{0, 3}, {1, 5}}}, {1, 101, 5, 5, 0, NodePages{{1, 2}}}};
    report.notes = {"a \"quoted\" note\nof two lines"};
    return report;
}

TEST(WorkloadReport, has_every_member_in_the_documented_form) {
    auto report = sample_report();
    report.pages = {.anon_huge_bytes = 4096,
                    .node_pages = NodePages{{0, 3}, {1, 7}},
                    .arrays = {{"a", 8192, NodePages{{0, 2}}, std::nullopt}},
                    .local_share = {{0, 50}, {1.5, 100}},
                    .unavailable_because = ""};
    const auto json = nlohmann::json::parse(to_json(report).dump());
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["workload"], "stream");
    EXPECT_EQ(json["metrics"][0],
              (nlohmann::json{{"name", "Copy"}, {"unit", "MB/s"}, {"value", 12345.5}, {"better", "higher"}}));
    EXPECT_EQ(json["metrics"][1]["better"], "lower");
    EXPECT_EQ(json["iterations"][0]["times_s"], (std::vector<double>{0.5, 0.25}));
    EXPECT_EQ(json["verification"]["passed"], true);
    EXPECT_FALSE(json["verification"].contains("message"));
    EXPECT_EQ(json["threads"][0]["first_cpu"], 3);
    EXPECT_EQ(json["threads"][0]["last_cpu"], 4);
    EXPECT_EQ(json["threads"][0]["node_pages"]["1"], 5);
    EXPECT_EQ(json["pages"]["anon_huge_bytes"], 4096);
    EXPECT_EQ(json["pages"]["node_pages"]["1"], 7);
    EXPECT_EQ(json["pages"]["arrays"][0]["name"], "a");
    EXPECT_EQ(json["pages"]["arrays"][0]["bytes"], 8192);
    EXPECT_EQ(json["pages"]["arrays"][0]["start"]["0"], 2);
    EXPECT_TRUE(json["pages"]["arrays"][0]["end"].is_null());
    EXPECT_EQ(json["pages"]["local_share"][1], (nlohmann::json{{"time_s", 1.5}, {"percent", 100.0}}));
    EXPECT_EQ(json["notes"][0], "a \"quoted\" note\nof two lines");
}

TEST(WorkloadReport, a_failed_verification_leaves_no_metric_behind) {
    auto report = sample_report();
    report.verification = {false, std::numeric_limits<double>::quiet_NaN(), 1e-13, "a[0] is nan"};
    const auto json = nlohmann::json::parse(to_json(report).dump());
    EXPECT_EQ(json["verification"]["passed"], false);
    EXPECT_TRUE(json["verification"]["max_error"].is_null());
    EXPECT_EQ(json["verification"]["message"], "a[0] is nan");
    EXPECT_TRUE(json["metrics"].empty());
}

TEST(WorkloadReport, pages_that_could_not_be_asked_are_null_with_the_reason) {
    auto report = sample_report();
    report.pages = {};
    report.pages.unavailable_because = "move_pages query: Operation not permitted";
    report.threads[0].node_pages.reset();
    const auto json = to_json(report);
    EXPECT_TRUE(json["pages"].is_null());
    EXPECT_EQ(json["pages_reason"], "move_pages query: Operation not permitted");
    EXPECT_TRUE(json["threads"][0]["node_pages"].is_null());
}

TEST(WorkloadReport, the_threads_samples_add_up) {
    PageReport pages;
    add_team_pages(sample_report().threads, {}, pages);
    ASSERT_TRUE(pages.node_pages);
    EXPECT_EQ(*pages.node_pages, (NodePages{{0, 3}, {1, 7}}));
    EXPECT_EQ(pages.anon_huge_bytes, 0U);
    PageReport refused;
    refused.unavailable_because = "move_pages query: Function not implemented";
    add_team_pages({}, {}, refused);
    EXPECT_FALSE(refused.node_pages);
    EXPECT_EQ(refused.unavailable_because, "move_pages query: Function not implemented");
}

TEST(JsonDestination, writes_the_document_to_the_file) {
    const TemporaryTree tree;
    const std::string path = tree.root() / "out.json";
    auto destination = JsonDestination::open(path);
    ASSERT_TRUE(destination);
    EXPECT_FALSE(destination->is_stdout());
    ASSERT_TRUE(destination->write({{"schema", 1}}));
    std::ifstream file(path);
    EXPECT_EQ(nlohmann::json::parse(file)["schema"], 1);
}

TEST(JsonDestination, a_file_that_cannot_be_opened_is_the_users_mistake) {
    const auto destination = JsonDestination::open("/nonexistent/dir/x");
    ASSERT_FALSE(destination);
    EXPECT_EQ(destination.error().status, ExitStatus::users_mistake);
    EXPECT_THAT(destination.error().message, testing::HasSubstr("/nonexistent/dir/x"));
}

TEST(JsonDestination, a_full_disk_is_a_failed_run) {
    auto destination = JsonDestination::open("/dev/full");
    if (!destination) GTEST_SKIP() << "no /dev/full here";
    const auto written = destination->write({{"schema", 1}});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().status, ExitStatus::failed_run);
}

TEST(JsonDestination, no_path_writes_nothing) {
    EXPECT_TRUE(JsonDestination::open("")->write({{"schema", 1}}));
}

}  // namespace
}  // namespace pinwise::workloads
