#include "placer/agent/load_refresh.hpp"

#include <gtest/gtest.h>

#include "test_session.hpp"

namespace pinwise {
namespace {

constexpr std::int64_t old_enough = settled_thread_ns;

class LoadRefresh : public testing::Test {
protected:
    RecordSlot thread(int tid, int cpu, std::int64_t born_ns = 0) {
        const RecordSlot slot = *table_.add(1, born_ns);
        table_.record(slot).tid.store(tid);
        table_.count_at(slot, cpu);
        return slot;
    }
    std::uint32_t running(int cpu) { return memory_.header().running[static_cast<std::size_t>(cpu)].load(); }

    SessionMemory memory_ = make_memory(zen3_machine(), CpuSet::range(0, 127));
    ThreadTable table_{memory_};
};

TEST_F(LoadRefresh, CountsRunnableThreadsWhereTheyRunAndWaitingOnesNowhere) {
    thread(10, 0);
    thread(11, 0);
    refresh_load(table_, old_enough, [](int, int tid) {
        return TaskStatus{
            .state = tid == 10 ? TaskState::runnable : TaskState::waiting, .cpu = 5, .start_ticks = 1, .name = {}};
    });
    EXPECT_EQ(running(0), 0U);
    EXPECT_EQ(running(5), 1U);
    EXPECT_EQ(table_.live_count(), 2);
}

TEST_F(LoadRefresh, TakesAThreadThatHasJustBegunForAsleepOnlyWhenItWaitsTwiceInARow) {
    const auto waiting = [](int, int) {
        return TaskStatus{.state = TaskState::waiting, .cpu = 3, .start_ticks = 1, .name = {}};
    };
    const auto runnable = [](int, int) {
        return TaskStatus{.state = TaskState::runnable, .cpu = 3, .start_ticks = 1, .name = {}};
    };
    thread(10, 3);
    refresh_load(table_, young_thread_ns, waiting);
    EXPECT_EQ(running(3), 1U);
    refresh_load(table_, 2 * young_thread_ns, runnable);
    refresh_load(table_, 3 * young_thread_ns, waiting);
    EXPECT_EQ(running(3), 1U);
    refresh_load(table_, 4 * young_thread_ns, waiting);
    EXPECT_EQ(running(3), 0U);
}

TEST_F(LoadRefresh, LeavesYoungThreadsWhereTheyWerePut) {
    thread(10, 3, old_enough - young_thread_ns + 1);
    refresh_load(table_, old_enough, [](int, int) {
        ADD_FAILURE() << "was looked at";
        return TaskStatus{};
    });
    EXPECT_EQ(running(3), 1U);
}

TEST_F(LoadRefresh, EndsThreadsThatAreGone) {
    for (int tid = 10; tid < 20; ++tid)
        thread(tid, 2);
    refresh_load(table_, old_enough, [](int, int tid) {
        return TaskStatus{
            .state = tid % 2 == 0 ? TaskState::gone : TaskState::runnable, .cpu = 2, .start_ticks = 1, .name = {}};
    });
    EXPECT_EQ(table_.live_count(), 5);
    EXPECT_EQ(running(2), 5U);
}

TEST_F(LoadRefresh, TakesATaskThatStartedAtAnotherTimeForAnotherOne) {
    const RecordSlot slot = thread(10, 2);
    table_.record(slot).start_ticks.store(1);
    refresh_load(table_, old_enough, [](int, int) {
        return TaskStatus{.state = TaskState::runnable, .cpu = 2, .start_ticks = 2, .name = {}};
    });
    EXPECT_FALSE(table_.is_live(slot));
    EXPECT_EQ(running(2), 0U);
}

TEST_F(LoadRefresh, KeepsTheCountOfAThreadThatHasNotStarted) {
    thread(0, 4);
    refresh_load(table_, old_enough, [](int pid, int tid) {
        EXPECT_EQ(pid, tid);
        return TaskStatus{.state = TaskState::waiting, .cpu = 9, .start_ticks = 1, .name = {}};
    });
    EXPECT_EQ(running(4), 1U);
}

TEST_F(LoadRefresh, KeepsTheLastCountWhereProcCannotBeRead) {
    thread(10, 4);
    refresh_load(table_, old_enough, [](int, int) { return TaskStatus{}; });
    EXPECT_EQ(running(4), 1U);
}

TEST_F(LoadRefresh, IsDueAfterAMillisecondOrTwentyTimesItsCost) {
    memory_.header().refreshed_ns.store(1'000'000'000);
    EXPECT_FALSE(refresh_is_due(memory_.header(), 1'001'000'000));
    EXPECT_TRUE(refresh_is_due(memory_.header(), 1'001'000'001));
    memory_.header().refresh_cost_ns.store(1'000'000);
    EXPECT_FALSE(refresh_is_due(memory_.header(), 1'020'000'000));
    EXPECT_TRUE(refresh_is_due(memory_.header(), 1'020'000'001));
}

}  // namespace
}  // namespace pinwise
