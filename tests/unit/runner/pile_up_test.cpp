#include "runner/trial/pile_up.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner/trial/steady_time.hpp"

namespace pinwise {
namespace {

constexpr std::int64_t ms = 1'000'000;

/// Threads 1, 2, ... that were born one millisecond after the other, from 100 ms on.
std::vector<ThreadRecord> workers(int count) {
    std::vector<ThreadRecord> threads(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        threads[static_cast<std::size_t>(i)].tid = i + 1;
        threads[static_cast<std::size_t>(i)].born_ns = (100 + i) * ms;
    }
    return threads;
}

SeenThread running(int tid, int cpu) {
    return {tid, cpu, true, -1};
}

SeenThread asleep(int tid, int cpu, std::int64_t busy_ms) {
    return {tid, cpu, false, busy_ms * ms};
}

TEST(PileUp, LastsFromTheLastBirthToTheLastLookThatSawIt) {
    const std::vector<ThreadLook> looks{{110 * ms, {running(1, 0), running(2, 0)}},
                                        {120 * ms, {running(1, 0), running(2, 0)}},
                                        {130 * ms, {running(1, 0), running(2, 1)}},
                                        {140 * ms, {running(1, 0), running(2, 0)}}};
    EXPECT_EQ(piled_up_s(looks, workers(2)), 0.019);
}

TEST(PileUp, IsNoneWhenTheFirstLookSeesNone) {
    const std::vector<ThreadLook> looks{{110 * ms, {running(1, 0), running(2, 1)}},
                                        {120 * ms, {running(1, 0), running(2, 0)}}};
    EXPECT_EQ(piled_up_s(looks, workers(2)), 0);
}

TEST(PileUp, IsNotKnownWithoutALookAtAllOfThem) {
    EXPECT_EQ(piled_up_s({}, workers(2)), std::nullopt);
    const std::vector<ThreadLook> looks{{110 * ms, {running(1, 0), running(7, 0)}}};
    EXPECT_EQ(piled_up_s(looks, workers(2)), std::nullopt) << "7 is none of ours";
    EXPECT_EQ(piled_up_s(looks, {}), std::nullopt);
}

TEST(PileUp, BeginsWhenAllAreThereAndEndsWithTheFirstOfThem) {
    const std::vector<ThreadLook> looks{{101 * ms, {running(1, 0), running(2, 0)}},
                                        {110 * ms, {running(1, 0), running(2, 0), running(3, 1)}},
                                        {120 * ms, {running(1, 0), running(2, 0), running(3, 1)}},
                                        {130 * ms, {running(1, 0), running(2, 0)}},
                                        {140 * ms, {running(1, 0), running(2, 0), running(3, 1)}}};
    EXPECT_EQ(piled_up_s(looks, workers(3)), 0.018);
}

TEST(PileUp, IsNotEndedByABarrierNorMadeByAnIdleThread) {
    const std::vector<ThreadLook> at_a_barrier{{110 * ms, {running(1, 0), asleep(2, 0, 7)}},
                                               {120 * ms, {asleep(1, 0, 13), asleep(2, 0, 14)}},
                                               {130 * ms, {running(1, 0), asleep(2, 0, 15)}}};
    EXPECT_EQ(piled_up_s(at_a_barrier, workers(2)), 0.019) << "the second slept nearly all of the last 10 ms";
    const std::vector<ThreadLook> idle{{110 * ms, {running(1, 0), asleep(2, 0, 1)}},
                                       {120 * ms, {running(1, 0), asleep(2, 0, 2)}}};
    EXPECT_EQ(piled_up_s(idle, workers(2)), 0);
}

TEST(ThreadLooks, SeeWhereLiveThreadsAreAndHowBusyTheyWere) {
    std::atomic<bool> stop = false;
    std::atomic<int> tid = 0;
    std::thread spinning([&] {
        tid = static_cast<int>(syscall(SYS_gettid));
        while (!stop) {
        }
    });
    while (tid == 0)
        std::this_thread::yield();
    std::vector<ThreadRecord> threads(3);
    threads[0].pid = threads[1].pid = threads[2].pid = getpid();
    threads[0].tid = tid;
    threads[0].alive = true;
    threads[1].tid = getpid();
    threads[2].tid = 0x7ffffff0;
    threads[2].alive = true;
    ThreadLooks looks(steady_now_ns());
    EXPECT_TRUE(looks.due(steady_now_ns()));
    while (looks.all().empty() || (looks.all().back().threads.at(0).busy_ns < 20 * ms && looks.all().size() < 500)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        looks.look(threads);
    }
    stop = true;
    spinning.join();
    EXPECT_GE(looks.next_ns(), looks.all().back().time_ns + 10 * ms);
    ASSERT_EQ(looks.all().back().threads.size(), 1U) << "the second was said to have ended, the third is nobody";
    const SeenThread& seen = looks.all().back().threads.front();
    EXPECT_EQ(seen.tid, tid);
    EXPECT_GE(seen.cpu, 0);
    EXPECT_TRUE(seen.runnable);
    if (seen.busy_ns == -1) GTEST_SKIP() << "this kernel keeps no schedstat";
    EXPECT_GE(seen.busy_ns, 20 * ms);
}

}  // namespace
}  // namespace pinwise
