#include "placer/agent/thread_attributes.hpp"

#include <array>
#include <csignal>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

namespace pinwise {
namespace {

class ThreadAttributesTest : public testing::Test {
protected:
    ThreadAttributesTest() { pthread_attr_init(&caller_); }
    ~ThreadAttributesTest() override { pthread_attr_destroy(&caller_); }
    ThreadAttributesTest(const ThreadAttributesTest&) = delete;
    ThreadAttributesTest& operator=(const ThreadAttributesTest&) = delete;
    ThreadAttributesTest(ThreadAttributesTest&&) = delete;
    ThreadAttributesTest& operator=(ThreadAttributesTest&&) = delete;

    pthread_attr_t caller_{};
};

TEST_F(ThreadAttributesTest, CarryTheCpuAndLeaveTheCallersAlone) {
    pthread_attr_t before;
    std::memcpy(&before, &caller_, sizeof(before));
    const ThreadAttributes copy(&caller_, CpuMask::only(70));
    ASSERT_NE(copy.get(), nullptr);
    EXPECT_EQ(explicit_affinity(copy.get()), CpuMask::only(70));
    EXPECT_FALSE(explicit_affinity(&caller_).has_value());
    EXPECT_EQ(std::memcmp(&before, &caller_, sizeof(before)), 0);
}

TEST_F(ThreadAttributesTest, KeepDetachStateGuardStackSizeAndScope) {
    pthread_attr_setdetachstate(&caller_, PTHREAD_CREATE_DETACHED);
    pthread_attr_setguardsize(&caller_, 12288);
    pthread_attr_setstacksize(&caller_, 262144);
    const ThreadAttributes copy(&caller_, CpuMask::only(0));
    int state = 0;
    std::size_t bytes = 0;
    pthread_attr_getdetachstate(copy.get(), &state);
    EXPECT_EQ(state, PTHREAD_CREATE_DETACHED);
    pthread_attr_getguardsize(copy.get(), &bytes);
    EXPECT_EQ(bytes, 12288U);
    pthread_attr_getstacksize(copy.get(), &bytes);
    EXPECT_EQ(bytes, 262144U);
    pthread_attr_getscope(copy.get(), &state);
    EXPECT_EQ(state, PTHREAD_SCOPE_SYSTEM);
}

TEST_F(ThreadAttributesTest, KeepAStackOfTheCallers) {
    std::vector<std::byte> stack(262144);
    ASSERT_EQ(pthread_attr_setstack(&caller_, stack.data(), stack.size()), 0);
    const ThreadAttributes copy(&caller_, CpuMask::only(0));
    void* lowest = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(copy.get(), &lowest, &bytes);
    EXPECT_EQ(lowest, stack.data());
    EXPECT_EQ(bytes, stack.size());
}

TEST_F(ThreadAttributesTest, KeepExplicitScheduling) {
    pthread_attr_setinheritsched(&caller_, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&caller_, SCHED_FIFO);
    sched_param parameters{};
    parameters.sched_priority = 7;
    pthread_attr_setschedparam(&caller_, &parameters);
    const ThreadAttributes copy(&caller_, CpuMask::only(0));
    int value = 0;
    pthread_attr_getinheritsched(copy.get(), &value);
    EXPECT_EQ(value, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_getschedpolicy(copy.get(), &value);
    EXPECT_EQ(value, SCHED_FIFO);
    sched_param copied{};
    pthread_attr_getschedparam(copy.get(), &copied);
    EXPECT_EQ(copied.sched_priority, 7);
}

TEST_F(ThreadAttributesTest, KeepTheSignalMask) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    pthread_attr_setsigmask_np(&caller_, &signals);
    const ThreadAttributes copy(&caller_, CpuMask::only(0));
    sigset_t copied;
    ASSERT_EQ(pthread_attr_getsigmask_np(copy.get(), &copied), 0);
    EXPECT_EQ(sigismember(&copied, SIGUSR2), 1);
    EXPECT_EQ(sigismember(&copied, SIGUSR1), 0);
}

TEST_F(ThreadAttributesTest, KnowAnAffinityTheCallerSet) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(1, &cpus);
    CPU_SET(5, &cpus);
    pthread_attr_setaffinity_np(&caller_, sizeof(cpus), &cpus);
    EXPECT_EQ(explicit_affinity(&caller_), CpuMask::of(CpuSet{1, 5}));
}

TEST_F(ThreadAttributesTest, TakeTheDefaultsOfTheProcessForNone) {
    pthread_attr_t defaults;
    pthread_getattr_default_np(&defaults);
    std::size_t wanted = 0;
    pthread_attr_getstacksize(&defaults, &wanted);
    pthread_attr_destroy(&defaults);
    const ThreadAttributes copy(nullptr, CpuMask::only(3));
    std::size_t bytes = 0;
    pthread_attr_getstacksize(copy.get(), &bytes);
    EXPECT_EQ(bytes, wanted);
    EXPECT_EQ(explicit_affinity(copy.get()), CpuMask::only(3));
    EXPECT_FALSE(explicit_affinity(nullptr).has_value());
}

}  // namespace
}  // namespace pinwise
