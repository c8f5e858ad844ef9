#include "placer/agent/thread_table.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_session.hpp"

namespace pinwise {
namespace {

class ThreadTableTest : public testing::Test {
protected:
    /// A thread that has started, and counts on CPU 1.
    RecordSlot start(int tid) {
        const RecordSlot slot = *table_.add(100, 5);
        table_.record(slot).tid.store(tid);
        table_.record(slot).state.store(RecordState::alive);
        table_.count_at(slot, 1);
        return slot;
    }
    void settle() {
        const SessionLock lock(memory_.header());
        table_.settle(lock);
    }
    std::uint32_t running(int cpu) { return memory_.header().running[static_cast<std::size_t>(cpu)].load(); }

    SessionMemory memory_ = make_memory(zen3_machine(), CpuSet{0, 1});
    ThreadTable table_{memory_};
};

TEST_F(ThreadTableTest, NumbersThreadsInOrderOfCreation) {
    for (int index = 0; index < 3; ++index) {
        const auto slot = table_.add(100, 5);
        ASSERT_TRUE(slot.has_value());
        const auto record = table_.read(*slot);
        ASSERT_TRUE(record.has_value());
        EXPECT_EQ(record->index, index);
        EXPECT_EQ(record->pid, 100);
        EXPECT_EQ(record->asked_cpu, -1);
        EXPECT_EQ(record->migrations, -1);
        EXPECT_TRUE(record->alive);
    }
    EXPECT_EQ(table_.live_count(), 3);
}

TEST_F(ThreadTableTest, CountsAThreadAtOneCpuOnly) {
    const RecordSlot slot = *table_.add(100, 5);
    table_.count_at(slot, 1);
    table_.count_at(slot, 1);
    EXPECT_EQ(running(1), 1U);
    table_.count_at(slot, 0);
    EXPECT_EQ(running(1), 0U);
    EXPECT_EQ(running(0), 1U);
    table_.count_at(slot, max_session_cpus);
    EXPECT_EQ(running(0), 0U);
    table_.count_at(slot, 0);
    table_.end(slot, 9);
    EXPECT_EQ(running(0), 0U);
    EXPECT_EQ(table_.read(slot)->ended_ns, 9);
    EXPECT_FALSE(table_.read(slot)->alive);
}

TEST_F(ThreadTableTest, TakesBackAThreadThatWasNotCreated) {
    static_cast<void>(table_.add(100, 5));
    const RecordSlot slot = *table_.add(100, 5);
    table_.count_at(slot, 1);
    table_.take_back(slot);
    EXPECT_EQ(running(1), 0U);
    EXPECT_EQ(table_.live_count(), 1);
    EXPECT_EQ(table_.used(), 1);
    EXPECT_FALSE(table_.read(slot).has_value());
    EXPECT_EQ(table_.read(*table_.add(100, 5))->index, 1);
}

TEST_F(ThreadTableTest, FindsLiveThreadsAfterOthersEnded) {
    for (int tid = 10; tid < 20; ++tid)
        table_.record(*table_.add(1, 5)).tid.store(tid);
    table_.end(*table_.find(1, 10), 6);
    table_.end(*table_.find(1, 15), 6);
    EXPECT_FALSE(table_.find(1, 10).has_value());
    EXPECT_FALSE(table_.find(2, 11).has_value());
    for (const int tid : {11, 12, 13, 14, 16, 17, 18, 19}) {
        const auto slot = table_.find(1, tid);
        ASSERT_TRUE(slot.has_value()) << tid;
        EXPECT_EQ(table_.record(*slot).tid.load(), tid);
    }
}

TEST_F(ThreadTableTest, ReusesRecordsOfEndedThreadsWhenAllAreTaken) {
    for (int i = 0; i < max_session_threads; ++i)
        ASSERT_TRUE(table_.add(1, 5).has_value());
    EXPECT_FALSE(table_.add(1, 5).has_value());
    EXPECT_EQ(memory_.header().threads_not_recorded.load(), 1U);
    table_.end(4711, 6);
    const auto slot = table_.add(1, 7);
    ASSERT_TRUE(slot.has_value());
    EXPECT_EQ(*slot, 4711);
    EXPECT_EQ(table_.read(*slot)->index, max_session_threads);
    EXPECT_EQ(table_.read(*slot)->ended_ns, 0) << "nothing of the former thread is left";
    EXPECT_FALSE(table_.add(1, 5).has_value());
}

TEST_F(ThreadTableTest, AThreadThatLeavesIsNoLoadFromTheNextLockOn) {
    const RecordSlot slot = start(7);
    table_.leave(slot, 9);
    EXPECT_FALSE(table_.is_live(slot));
    EXPECT_FALSE(table_.find(100, 7).has_value());
    EXPECT_FALSE(table_.read(slot)->alive);
    EXPECT_EQ(table_.read(slot)->ended_ns, 9);
    settle();
    EXPECT_EQ(running(1), 0U);
    EXPECT_EQ(table_.live_count(), 0);
    EXPECT_EQ(table_.read(slot)->ended_ns, 9);
    settle();
    EXPECT_EQ(running(1), 0U);
}

TEST_F(ThreadTableTest, AThreadThatWasFoundGoneWhileItLeftHasSaidItselfWhenItEnded) {
    const RecordSlot slot = start(7);
    table_.leave(slot, 9);
    table_.end(slot, 0);
    EXPECT_EQ(table_.read(slot)->ended_ns, 9);
    // Its mark is still there, and means nothing to the record's next thread.
    table_.record(slot).state.store(RecordState::alive);
    settle();
    EXPECT_TRUE(table_.is_live(slot));
}

TEST_F(ThreadTableTest, RecordsOfThreadsThatLeaveAreReusedOnlyOnceTheyAreTakenOut) {
    for (int i = 0; i < max_session_threads; ++i)
        start(i);
    table_.leave(4711, 6);
    EXPECT_FALSE(table_.add(1, 7).has_value());
    settle();
    EXPECT_EQ(table_.add(1, 7), 4711);
}

TEST_F(ThreadTableTest, ThreadsThatLeftAreTakenOutAlsoWhenTheLastHolderDied) {
    const RecordSlot stays = start(7);
    table_.leave(start(8), 9);
    if (const pid_t child = fork(); child == 0) {
        auto* lock = new SessionLock(memory_.header());  // NOLINT(cppcoreguidelines-owning-memory): never let go
        _exit(lock->held() ? 0 : 1);
    } else {
        waitpid(child, nullptr, 0);
    }
    settle();
    EXPECT_EQ(running(1), 1U);
    EXPECT_EQ(table_.live_count(), 1);
    EXPECT_EQ(table_.live(0), stays);
}

TEST(LeavingThreads, AreAllCollectedWhileOthersLeave) {
    const SessionMemory memory = make_memory(zen3_machine(), CpuSet{0, 1});
    LeavingThreads& leaving = memory.header().leaving;
    constexpr int threads = 4;
    constexpr int each = 2000;
    std::vector<std::thread> leavers;
    for (int t = 0; t < threads; ++t) {
        leavers.emplace_back([&leaving, t] {
            for (int i = 0; i < each; ++i)
                leaving.add(i * threads + t);
        });
    }
    std::multiset<int> found;
    while (found.size() < threads * each)
        leaving.collect([&](int slot) { found.insert(slot); });
    for (auto& leaver : leavers)
        leaver.join();
    leaving.collect([&](int slot) { found.insert(slot); });
    EXPECT_EQ(found.size(), threads * each);
    EXPECT_EQ(std::set<int>(found.begin(), found.end()).size(), found.size());
    EXPECT_EQ(*found.rbegin(), threads * each - 1);
}

TEST(LeavingThreads, KnowTheFirstAndTheLastSlotAndNoneBeyond) {
    const SessionMemory memory = make_memory(zen3_machine(), CpuSet{0, 1});
    LeavingThreads& leaving = memory.header().leaving;
    for (const int slot : {0, max_session_threads - 1, max_session_threads, -1})
        leaving.add(slot);
    std::set<int> found;
    leaving.collect([&](int slot) { found.insert(slot); });
    EXPECT_EQ(found, (std::set<int>{0, max_session_threads - 1}));
}

TEST_F(ThreadTableTest, GivesNoRecordOutOfRangeWhateverTheProgramWrote) {
    memory_.header().live_count.store(1 << 30);
    memory_.header().records_used.store(-5);
    for (auto& slot : memory_.header().live)
        slot.store(0xffffffffU);
    EXPECT_FALSE(table_.find(1, 1).has_value());
    EXPECT_EQ(table_.used(), 0);
    table_.repair();
    EXPECT_EQ(table_.live_count(), 0);
}

TEST_F(ThreadTableTest, CountsMigrationsFromBirthOrNotAtAll) {
    const RecordSlot slot = *table_.add(1, 5);
    table_.record(slot).migrations.store(7);
    EXPECT_EQ(table_.read(slot)->migrations, -1);
    table_.record(slot).migrations_at_birth.store(1);
    EXPECT_EQ(table_.read(slot)->migrations, 6);
}

TEST_F(ThreadTableTest, KeepsFifteenCharactersOfAName) {
    const RecordSlot slot = *table_.add(1, 5);
    store_name(table_.record(slot), "a name of more than that");
    EXPECT_EQ(table_.read(slot)->name, "a name of more ");
}

}  // namespace
}  // namespace pinwise
