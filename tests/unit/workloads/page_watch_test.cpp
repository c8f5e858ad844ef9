// How the pages of arrays and threads are followed over a run.

#include "workloads/common/page_watch.hpp"

#include <array>
#include <cstring>

#include <gmock/gmock.h>
#include <unistd.h>

#include "workloads/common/first_touch.hpp"
#include "workloads/common/huge_page_mapping.hpp"

namespace pinwise::workloads {
namespace {

std::uint64_t total(const std::optional<NodePages>& pages) {
    std::uint64_t sum = 0;
    for (const auto& [node, count] : pages.value())
        sum += count;
    return sum;
}

/// 64 pages, the first half of thread 0 and the second of thread 1.
class PageWatchTest : public testing::Test {
protected:
    void SetUp() override {
        if (const auto asked = sample_node_pages(std::array{MemoryRange(memory())}, 1); !asked)
            GTEST_SKIP() << asked.error().message;
        std::memset(memory().data(), 1, bytes_);
    }
    [[nodiscard]] std::span<std::byte> memory() const { return mapping_.bytes().first(bytes_); }
    [[nodiscard]] PageWatch watch() {
        return {team_, {{"both halves", memory()}, {"first half", memory().first(bytes_ / 2)}}, [this](int thread) {
                    const std::size_t half = bytes_ / 2;
                    return std::vector<MemoryRange>{memory().subspan(static_cast<std::size_t>(thread) * half, half)};
                }};
    }

    ThreadTeam team_ = start_team(2).value();

private:
    std::size_t bytes_ = 64 * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    HugePageMapping mapping_ = std::move(HugePageMapping::map(bytes_, ThpAdvice::off).value());
};

TEST_F(PageWatchTest, tells_of_every_array_at_the_start_and_at_the_end) {
    PageWatch watching = watch();
    watching.start();
    record_last_cpus(team_);
    const PageReport report = watching.finish();
    ASSERT_EQ(report.arrays.size(), 2U);
    EXPECT_EQ(report.arrays[0].name, "both halves");
    EXPECT_EQ(total(report.arrays[0].start), 64U);
    EXPECT_EQ(total(report.arrays[0].end), 64U);
    EXPECT_EQ(report.arrays[1].bytes, memory().size() / 2);
    EXPECT_EQ(total(report.arrays[1].start), 32U);
    EXPECT_EQ(total(report.node_pages), 64U);
    EXPECT_EQ(total(team_.threads[1].node_pages), 32U);
    EXPECT_TRUE(report.unavailable_because.empty());
}

TEST_F(PageWatchTest, notes_the_local_share_at_both_ends_and_not_at_every_look_between) {
    PageWatch watching = watch();
    watching.start();
    for (int i = 0; i < 1000; ++i)
        watching.look();
    record_last_cpus(team_);
    const PageReport report = watching.finish();
    ASSERT_GE(report.local_share.size(), 2U);
    EXPECT_LT(report.local_share.size(), 500U);
    double last_s = 0;
    for (const auto& [time_s, percent] : report.local_share) {
        EXPECT_GE(time_s, last_s);
        EXPECT_GE(percent, 0);
        EXPECT_LE(percent, 100);
        last_s = time_s;
    }
}

TEST(NodeOfTask, is_the_threads_own_and_nothing_for_threads_that_are_not_there) {
    const CurrentCpu now = current_cpu();
    if (now.node != 0) GTEST_SKIP() << "the thread may be moved between the two questions";
    EXPECT_GE(node_of_task(current_tid()), 0);
    EXPECT_EQ(node_of_task(-5), -1);
}

TEST(FirstTouch, by_the_master_reaches_every_part_too) {
    std::array<int, 4> touched{};
    first_touch(Touch::master, 4, [&](int thread) { ++touched.at(static_cast<std::size_t>(thread)); });
    EXPECT_THAT(touched, testing::Each(1));
}

}  // namespace
}  // namespace pinwise::workloads
