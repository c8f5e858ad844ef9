// The parts of numa_test: the table against the one published in 2003, the sums, a job's account of where it was.

#include <array>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <sched.h>

#include "tests/unit/workloads/temporary_tree.hpp"
#include "workloads/common/cpu_nodes.hpp"
#include "workloads/common/whole_file.hpp"
#include "workloads/numa_test/home_return.hpp"
#include "workloads/numa_test/job_table.hpp"
#include "workloads/numa_test/node_clock.hpp"
#include "workloads/numa_test/random_updates.hpp"

namespace pinwise::numa_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string data = PINWISE_SOURCE_DIR "/tests/data/numa_test/";

struct PublishedJob {
    JobRow row;
    int main_node = -1;
    bool moved = false;
};

std::vector<PublishedJob> published_jobs() {
    std::ifstream file(data + "published-32.csv");
    std::string line;
    std::getline(file, line);
    std::vector<PublishedJob> jobs;
    while (std::getline(file, line)) {
        std::istringstream cells(line);
        std::array<double, 9> values{};
        for (double& value : values) {
            std::string cell;
            std::getline(cells, cell, ',');
            value = std::stod(cell);
        }
        PublishedJob job;
        job.row.job = static_cast<int>(values[0]);
        for (int node = 0; node < 4; ++node)
            job.row.node_percent[node] = values.at(static_cast<std::size_t>(node) + 1);
        job.row.initial_node = static_cast<int>(values[5]);
        job.row.user_s = values[8];
        job.main_node = static_cast<int>(values[6]);
        job.moved = values[7] != 0;
        jobs.push_back(job);
    }
    return jobs;
}

TEST(PublishedTable, has_the_main_nodes_and_stars_that_the_shares_give) {
    const auto jobs = published_jobs();
    ASSERT_EQ(jobs.size(), 32U);
    std::vector<int> stars;
    for (const PublishedJob& job : jobs) {
        EXPECT_EQ(job.row.main_node(), job.main_node) << job.row.job;
        EXPECT_EQ(job.row.moved(), job.moved) << job.row.job;
        if (job.row.moved()) stars.push_back(job.row.job);
    }
    EXPECT_THAT(stars, ElementsAre(9, 14, 16, 19, 23, 29));
}

TEST(PublishedTable, is_reproduced_to_the_letter) {
    std::vector<JobRow> rows;
    for (const PublishedJob& job : published_jobs())
        rows.push_back(job.row);
    std::ostringstream published;
    published << std::ifstream(data + "published-32.txt").rdbuf();
    EXPECT_EQ(job_table(rows, std::array{0, 1, 2, 3}, {124.09, 1804.67, 7.71}), published.str());
}

TEST(JobTable, has_a_column_for_each_node_by_its_number) {
    const JobRow job{1, {{0, 25}, {7, 75}}, 0, 1};
    const std::string table = job_table(std::array{job}, std::array{0, 3, 7, 112}, {1, 1, 0});
    EXPECT_THAT(table, HasSubstr("node00 node03 node07 node112 |"));
    EXPECT_THAT(table, HasSubstr("  1    25.0    0.0   75.0    0.0 |    0     7   *|   1.00"));
}

TEST(JobTable, has_no_star_for_a_tie_with_the_lowest_node) {
    EXPECT_EQ((JobRow{1, {{1, 50}, {2, 50}}, 1, 1}.main_node()), 1);
    EXPECT_TRUE((JobRow{1, {{1, 50}, {2, 50}}, 2, 1}.moved())) << "the lowest of equal nodes is the main one";
}

TEST(JobTable, takes_a_job_of_which_nothing_is_known_as_at_home) {
    const JobRow job{1, {}, 3, 0};
    EXPECT_EQ(job.main_node(), 3);
    EXPECT_EQ(job.home_percent(), 0);
    EXPECT_EQ(average_user_s({}), 0);
}

TEST(RandomUpdates, end_in_the_sums_that_were_foreseen) {
    for (const std::uint64_t elements : {1U, 2U, 1000U, 4097U}) {
        auto updates = RandomUpdates::map(elements, workloads::ThpAdvice::system_default);
        ASSERT_TRUE(updates);
        updates->fill();
        EXPECT_EQ(updates->sums(), Sums{});
        for (int sweep = 0; sweep < 3; ++sweep)
            updates->update(0, elements);
        EXPECT_EQ(updates->sums(), updates->expected_sums(3));
        EXPECT_NE(updates->sums(), updates->expected_sums(2));
        updates->update(elements - 1, elements);
        EXPECT_NE(updates->sums(), updates->expected_sums(3)) << "one update too many is seen";
    }
}

TEST(RandomUpdates, are_the_same_in_every_job) {
    auto one = RandomUpdates::map(1000, workloads::ThpAdvice::system_default);
    auto other = RandomUpdates::map(1000, workloads::ThpAdvice::system_default);
    ASSERT_TRUE(one && other);
    one->fill();
    other->fill();
    one->update(0, 100);
    other->update(0, 100);
    EXPECT_EQ(one->sums(), other->sums());
}

constexpr std::int64_t s = 1'000'000'000;

TEST(HomeReturn, is_nothing_for_a_job_that_was_at_home) {
    const std::array visits{NodeVisit{0, 1}, NodeVisit{2 * s, 0}, NodeVisit{4 * s, 1}, NodeVisit{9 * s, 0}};
    const auto at_home = home_return(visits, 5 * s, 20 * s);
    ASSERT_TRUE(at_home);
    EXPECT_EQ(at_home->seconds, 0);
    EXPECT_TRUE(at_home->returned) << "it left later, for another reason";
}

TEST(HomeReturn, is_the_time_until_the_job_is_back) {
    const std::array visits{NodeVisit{0, 1}, NodeVisit{4 * s, 0}, NodeVisit{6 * s, 2}, NodeVisit{8 * s, 1}};
    const auto back = home_return(visits, 5 * s, 20 * s);
    ASSERT_TRUE(back);
    EXPECT_DOUBLE_EQ(back->seconds, 3);
    EXPECT_TRUE(back->returned);
}

TEST(HomeReturn, is_at_least_the_time_until_the_end_of_a_job_that_stays_away) {
    const std::array visits{NodeVisit{0, 1}, NodeVisit{4 * s, 0}, NodeVisit{6 * s, 2}};
    const auto away = home_return(visits, 5 * s, 20 * s);
    ASSERT_TRUE(away);
    EXPECT_DOUBLE_EQ(away->seconds, 15);
    EXPECT_FALSE(away->returned);
}

TEST(HomeReturn, is_unknown_for_a_job_that_ended_first_or_was_never_seen) {
    const std::array visits{NodeVisit{0, 1}};
    EXPECT_FALSE(home_return(visits, 5 * s, 5 * s));
    EXPECT_FALSE(home_return({}, 5 * s, 6 * s));
}

TEST(CpuNodes, come_from_sysfs_with_holes_and_nodes_without_CPUs) {
    test::TemporaryTree tree;
    tree.file("devices/system/node/node0/cpulist", "0-1,4\n")
        .file("devices/system/node/node2/cpulist", "\n")
        .file("devices/system/node/node10/cpulist", "6\n")
        .file("devices/system/node/nodes", "")
        .file("devices/system/node/online", "0,2,10\n");
    const auto nodes = workloads::cpu_nodes(tree.root());
    EXPECT_THAT(nodes.nodes, ElementsAre(0, 10));
    EXPECT_THAT(nodes.node_of_cpu, ElementsAre(0, 0, -1, -1, 0, -1, 10));
    EXPECT_EQ(nodes.node_of(6), 10);
    EXPECT_EQ(nodes.node_of(7), -1);
    EXPECT_EQ(nodes.node_of(-1), -1);
}

TEST(CpuNodes, are_one_where_the_kernel_has_none) {
    test::TemporaryTree tree;
    tree.file("devices/system/cpu/online", "0-2\n");
    const auto nodes = workloads::cpu_nodes(tree.root());
    EXPECT_THAT(nodes.nodes, ElementsAre(0));
    EXPECT_THAT(nodes.node_of_cpu, ElementsAre(0, 0, 0));
}

/// Every CPU stands for a node, so that moves between nodes can be had on any machine with two CPUs.
class FollowedProcess : public testing::Test {
protected:
    void SetUp() override {
        sched_getaffinity(0, sizeof allowed_, &allowed_);
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            nodes_.node_of_cpu.push_back(CPU_ISSET(cpu, &allowed_) ? cpu : -1);
            if (CPU_ISSET(cpu, &allowed_)) nodes_.nodes.push_back(cpu);
        }
        if (nodes_.nodes.size() < 2) GTEST_SKIP() << "one CPU";
    }
    void TearDown() override { sched_setaffinity(0, sizeof allowed_, &allowed_); }

    static void compute_on(int cpu) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        volatile double value = 1;
        for (int i = 0; i < 10'000'000; ++i)
            value = value * 1.0000001;
    }
    [[nodiscard]] double seconds_on(std::size_t which) const {
        return record_->node_s.at(static_cast<std::size_t>(nodes_.nodes[which]));
    }

    cpu_set_t allowed_{};
    workloads::CpuNodes nodes_;
    std::unique_ptr<JobRecord> record_ = std::make_unique<JobRecord>();
};

TEST_F(FollowedProcess, charges_its_user_time_to_the_node_it_was_on) {
    compute_on(nodes_.nodes[0]);
    NodeClock clock(nodes_, *record_);
    compute_on(nodes_.nodes[0]);
    clock.look();
    compute_on(nodes_.nodes[1]);
    clock.look();
    compute_on(nodes_.nodes[1]);
    clock.stop();
    ASSERT_EQ(record_->visit_count, 2U);
    EXPECT_EQ(record_->visits[0].node, nodes_.nodes[0]);
    EXPECT_EQ(record_->visits[1].node, nodes_.nodes[1]);
    EXPECT_LE(record_->visits[0].time_ns, record_->visits[1].time_ns);
    EXPECT_EQ(record_->first_cpu, nodes_.nodes[0]);
    EXPECT_EQ(record_->last_cpu, nodes_.nodes[1]);
    EXPECT_GT(seconds_on(0), 0);
    EXPECT_GT(seconds_on(1), 0);
}

TEST_F(FollowedProcess, is_followed_by_the_kernels_clocks_too) {
    compute_on(nodes_.nodes[0]);
    const auto clocks = TaskClocks::open(nodes_);
    if (!clocks) GTEST_SKIP() << clocks.error().message;
    compute_on(nodes_.nodes[1]);
    clocks->store(*record_);
    EXPECT_GT(seconds_on(1), seconds_on(0));
}

TEST_F(FollowedProcess, counts_visits_beyond_its_room_for_them) {
    NodeClock clock(nodes_, *record_);
    record_->visit_count = most_moves;
    compute_on(record_->first_cpu == nodes_.nodes[0] ? nodes_.nodes[1] : nodes_.nodes[0]);
    clock.look();
    EXPECT_EQ(record_->visit_count, most_moves + 1);
}

TEST(WholeFile, OfAProcessThatHasEndedIsEmptyAndNoException) {
    EXPECT_EQ(workloads::whole_file("/proc/self/mem"), "") << "opened, but the read fails";
}

}  // namespace
}  // namespace pinwise::numa_test
