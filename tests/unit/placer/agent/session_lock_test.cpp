#include "placer/agent/session_lock.hpp"

#include <csignal>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "placer/agent/thread_table.hpp"
#include "test_session.hpp"

namespace pinwise {
namespace {

TEST(SessionLock, LetsOneThreadInAtATime) {
    const SessionMemory memory = make_memory(zen3_machine(), CpuSet{0});
    int inside = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 1000; ++round) {
                const SessionLock lock(memory.header());
                ASSERT_TRUE(lock.held());
                ++inside;
            }
        });
    }
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(inside, 4000);
}

TEST(SessionLock, PassesOnWhenItsHolderDiesAndTheTablesAreRepaired) {
    const SessionMemory memory = make_memory(zen3_machine(), CpuSet{0, 1});
    ThreadTable table(memory);
    RecordSlot kept = 0;
    {
        const SessionLock lock(memory.header());
        kept = *table.add(getpid(), 1);
        table.count_at(kept, 1);
    }
    const pid_t child = fork();
    if (child == 0) {
        const SessionLock lock(memory.header());
        memory.header().running[1].store(77);  // half-way through a change
        memory.header().live_count.store(0);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, nullptr, 0);
    {
        const SessionLock lock(memory.header());
        ASSERT_TRUE(lock.held());
        ASSERT_TRUE(lock.last_holder_died());
        table.repair();
        EXPECT_EQ(memory.header().running[1].load(), 1U);
        EXPECT_EQ(table.live_count(), 1);
        EXPECT_EQ(table.live(0), kept);
    }
    const SessionLock again(memory.header());
    EXPECT_TRUE(again.held());
    EXPECT_FALSE(again.last_holder_died());
}

TEST(SessionLock, IsGivenUpWhenItsHolderIsStopped) {
    const SessionMemory memory = make_memory(zen3_machine(), CpuSet{0});
    const pid_t child = fork();
    if (child == 0) {
        const SessionLock lock(memory.header());
        raise(SIGSTOP);
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status));
    {
        const SessionLock lock(memory.header());
        EXPECT_FALSE(lock.held());
    }
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
    const SessionLock lock(memory.header());
    EXPECT_TRUE(lock.held());
}

TEST(SessionLock, BlocksSignalsOnlyWhileItIsHeld) {
    const SessionMemory memory = make_memory(zen3_machine(), CpuSet{0});
    sigset_t inside;
    {
        const SessionLock lock(memory.header());
        pthread_sigmask(SIG_BLOCK, nullptr, &inside);
    }
    sigset_t after;
    pthread_sigmask(SIG_BLOCK, nullptr, &after);
    EXPECT_EQ(sigismember(&inside, SIGTERM), 1);
    EXPECT_EQ(sigismember(&after, SIGTERM), 0);
}

}  // namespace
}  // namespace pinwise
