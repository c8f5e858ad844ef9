#include "placer/scan/hint_fault_filter.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pinwise {
namespace {

constexpr Toucher thread_1_on_node_1{.thread = 1, .node = 1};
constexpr Toucher thread_1_on_node_0{.thread = 1, .node = 0};
constexpr Toucher thread_2_on_node_1{.thread = 2, .node = 1};
constexpr Toucher thread_2_on_node_0{.thread = 2, .node = 0};
constexpr std::uint32_t first_pass = 0;
constexpr std::uint32_t late_pass = early_passes + 1;

TEST(TwoTouches, AreWantedFromTheSameNodeInARow) {
    const auto migrates = [](std::optional<Toucher> previous, Toucher now) {
        return should_migrate(FilterRule::two_touches, previous, now, first_pass);
    };
    EXPECT_FALSE(migrates(std::nullopt, thread_1_on_node_1));
    EXPECT_TRUE(migrates(thread_1_on_node_1, thread_1_on_node_1));
    EXPECT_TRUE(migrates(thread_2_on_node_1, thread_1_on_node_1));
    EXPECT_FALSE(migrates(thread_2_on_node_0, thread_1_on_node_1));
    EXPECT_FALSE(migrates(thread_1_on_node_0, thread_1_on_node_1));
}

TEST(KernelsRule, MovesAtTheFirstTouchAndFollowsAThreadInTheFirstPasses) {
    const auto migrates = [](std::optional<Toucher> previous, std::uint32_t pass) {
        return should_migrate(FilterRule::as_kernel, previous, thread_1_on_node_1, pass);
    };
    for (const std::uint32_t pass : {first_pass, early_passes, late_pass}) {
        EXPECT_TRUE(migrates(std::nullopt, pass));
        EXPECT_TRUE(migrates(thread_1_on_node_1, pass));
        EXPECT_TRUE(migrates(thread_2_on_node_1, pass));
        EXPECT_FALSE(migrates(thread_2_on_node_0, pass));
    }
    EXPECT_TRUE(migrates(thread_1_on_node_0, early_passes));
    EXPECT_FALSE(migrates(thread_1_on_node_0, late_pass));
}

TEST(KernelsRule, TellsThreadsApartByEightBits) {
    constexpr Toucher namesake{.thread = 1 + 256, .node = 0};
    EXPECT_TRUE(is_private_touch(FilterRule::as_kernel, namesake, thread_1_on_node_1));
    EXPECT_FALSE(is_private_touch(FilterRule::two_touches, namesake, thread_1_on_node_1));
}

TEST(HintFaultFilter, RemembersTheLastToucherOfEachGranule) {
    std::vector<HintFaultFilter::Slot> table(64);
    HintFaultFilter filter(table, FilterRule::two_touches);
    EXPECT_FALSE(filter.touch(7, thread_1_on_node_1, first_pass).migrate);
    EXPECT_FALSE(filter.touch(8, thread_1_on_node_1, first_pass).migrate);
    EXPECT_TRUE(filter.touch(7, thread_1_on_node_1, first_pass).migrate);
    const TouchVerdict by_another = filter.touch(7, thread_2_on_node_0, first_pass);
    EXPECT_FALSE(by_another.migrate);
    EXPECT_FALSE(by_another.is_private);
    EXPECT_TRUE(by_another.recorded);
    EXPECT_FALSE(filter.touch(7, thread_1_on_node_1, first_pass).migrate);
}

TEST(HintFaultFilter, KnowsNothingOfMemoryThatWasMappedAnew) {
    std::vector<HintFaultFilter::Slot> table(64);
    HintFaultFilter filter(table, FilterRule::two_touches);
    for (std::uint64_t granule = 0; granule < 8; ++granule)
        filter.touch(granule, thread_1_on_node_1, first_pass);
    filter.forget(2, 1'000);
    EXPECT_TRUE(filter.touch(1, thread_1_on_node_1, first_pass).migrate);
    EXPECT_FALSE(filter.touch(2, thread_1_on_node_1, first_pass).migrate);
}

TEST(HintFaultFilter, MovesNothingItHasNoRoomFor) {
    std::vector<HintFaultFilter::Slot> table(8);
    HintFaultFilter filter(table, FilterRule::as_kernel);
    for (std::uint64_t granule = 0; granule < 8; ++granule)
        EXPECT_TRUE(filter.touch(granule, thread_1_on_node_1, first_pass).recorded);
    const TouchVerdict verdict = filter.touch(8, thread_1_on_node_1, first_pass);
    EXPECT_FALSE(verdict.recorded);
    EXPECT_FALSE(verdict.migrate);
    EXPECT_TRUE(filter.touch(3, thread_1_on_node_1, first_pass).recorded);
    HintFaultFilter without_table({}, FilterRule::two_touches);
    EXPECT_FALSE(without_table.touch(1, thread_1_on_node_1, first_pass).recorded);
}

TEST(HintFaultFilter, HasOneSlotAGranuleHoweverManyThreadsTouchIt) {
    std::vector<HintFaultFilter::Slot> table(4096);
    HintFaultFilter filter(table, FilterRule::two_touches);
    std::vector<std::thread> threads;
    for (std::uint32_t id = 1; id <= 4; ++id)
        threads.emplace_back([&filter, id] {
            for (std::uint64_t granule = 0; granule < 2000; ++granule)
                filter.touch(granule, {.thread = id, .node = 1}, first_pass);
        });
    for (std::thread& thread : threads)
        thread.join();
    std::size_t used = 0;
    for (const auto& slot : table)
        used += slot.granule_plus_one.load() != 0 ? 1 : 0;
    EXPECT_EQ(used, 2000U);
    EXPECT_TRUE(filter.touch(1999, thread_1_on_node_1, first_pass).migrate);
}

}  // namespace
}  // namespace pinwise
