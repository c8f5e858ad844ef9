#include "placer/agent/other_load.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/agent/thread_table.hpp"
#include "test_session.hpp"

namespace pinwise {
namespace {

constexpr std::int64_t no_limit_ns = 100'000'000'000;

/// A process that spins on one CPU until it is ended.
class Spinner {
public:
    explicit Spinner(int cpu) : pid_(fork()) {
        if (pid_ != 0) return;
        static_cast<void>(CpuMask::only(cpu).apply_to(0));
        while (true) {
        }
    }
    ~Spinner() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    Spinner(const Spinner&) = delete;
    Spinner& operator=(const Spinner&) = delete;
    Spinner(Spinner&&) = delete;
    Spinner& operator=(Spinner&&) = delete;

    [[nodiscard]] int pid() const { return pid_; }

private:
    int pid_;
};

std::uint32_t others_on(const SessionMemory& memory, int cpu) {
    return memory.header().others[static_cast<std::size_t>(cpu)].load();
}

TEST(OtherLoad, CountsAProcessThatSpinsAndForgetsOneThatEnded) {
    const int cpu = CpuMask::of_thread(0).first();
    const SessionMemory memory = make_memory(zen3_machine(), CpuSet{0, 1});
    OtherLoad load;
    int pid = 0;
    {
        const Spinner spinner(cpu);
        pid = spinner.pid();
        usleep(50000);
        load.look(memory, no_limit_ns);
        EXPECT_EQ(load.runnable_threads(pid), 1);
        EXPECT_GE(others_on(memory, cpu), 1U);
    }
    load.look(memory, no_limit_ns);
    EXPECT_EQ(load.runnable_threads(pid), 0);
}

TEST(OtherLoad, DoesNotCountWhatWaits) {
    const SessionMemory memory = make_memory(zen3_machine(), CpuSet{0, 1});
    const pid_t sleeper = fork();
    if (sleeper == 0) {
        pause();
        _exit(0);
    }
    usleep(50000);
    OtherLoad load;
    load.look(memory, no_limit_ns);
    EXPECT_EQ(load.runnable_threads(sleeper), 0);
    kill(sleeper, SIGKILL);
    waitpid(sleeper, nullptr, 0);
}

TEST(OtherLoad, LeavesOutTheSessionsOwnProcesses) {
    const SessionMemory memory = make_memory(zen3_machine(), CpuSet{0, 1});
    const Spinner spinner(CpuMask::of_thread(0).first());
    usleep(50000);
    ThreadTable table(memory);
    static_cast<void>(table.add(spinner.pid(), 1));
    OtherLoad load;
    load.look(memory, no_limit_ns);
    EXPECT_EQ(load.runnable_threads(spinner.pid()), 0);
}

TEST(OtherLoad, GoesOnWhereItsTimeWasOver) {
    const SessionMemory memory = make_memory(zen3_machine(), CpuSet{0, 1});
    const Spinner spinner(CpuMask::of_thread(0).first());
    usleep(50000);
    OtherLoad load;
    load.look(memory, 0);
    EXPECT_EQ(load.runnable_threads(spinner.pid()), 0);
    load.look(memory, no_limit_ns);
    EXPECT_EQ(load.runnable_threads(spinner.pid()), 1);
}

}  // namespace
}  // namespace pinwise
