#include "placer/agent/thread_table.hpp"

#include <gtest/gtest.h>

#include "test_session.hpp"

namespace pinwise {
namespace {

class ThreadTableTest : public testing::Test {
protected:
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
