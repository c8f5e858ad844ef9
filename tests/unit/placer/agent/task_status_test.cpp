#include "placer/agent/task_status.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pinwise {
namespace {

const char* const tail =
    " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 7 37\n";

TEST(TaskStatus, ReadsStateStartAndCpuBehindAnyName) {
    for (const std::string name : {"plain", "with blank", ") R 1 (", "((", "x) S"}) {
        const TaskStatus status = parse_task_stat("17 (" + name + ") S" + tail);
        EXPECT_EQ(status.state, TaskState::waiting) << name;
        EXPECT_EQ(status.start_ticks, 4242U);
        EXPECT_EQ(status.cpu, 7);
        EXPECT_STREQ(status.name.data(), name.c_str());
    }
}

TEST(TaskStatus, KnowsRunnableWaitingAndGone) {
    EXPECT_EQ(parse_task_stat(std::string("1 (a) R") + tail).state, TaskState::runnable);
    EXPECT_EQ(parse_task_stat(std::string("1 (a) D") + tail).state, TaskState::runnable);
    EXPECT_EQ(parse_task_stat(std::string("1 (a) S") + tail).state, TaskState::waiting);
    EXPECT_EQ(parse_task_stat(std::string("1 (a) Z") + tail).state, TaskState::gone);
}

TEST(TaskStatus, IsUnknownForWhatIsNoStatLine) {
    for (const char* line : {"", "1", "1 (a", "1 (a) R", "1 (a) R 1 2 3", ") (", "()"}) {
        EXPECT_EQ(parse_task_stat(line).state, TaskState::unknown) << line;
    }
}

TEST(TaskStatus, SeesThisThreadRunAndAnAbsentOneGone) {
    const auto tid = static_cast<int>(syscall(SYS_gettid));
    const TaskStatus status = read_task_status(getpid(), tid);
    EXPECT_EQ(status.state, TaskState::runnable);
    EXPECT_GE(status.cpu, 0);
    EXPECT_EQ(read_task_status(getpid(), 0x7ffffff0).state, TaskState::gone);
    EXPECT_EQ(read_busy_ns(getpid(), 0x7ffffff0), -1);
}

TEST(TaskStatus, SeesAWaitingThread) {
    std::atomic<int> tid{0};
    std::atomic<bool> stop{false};
    std::thread waiting([&] {
        tid.store(static_cast<int>(syscall(SYS_gettid)));
        stop.wait(false);
    });
    TaskState state = TaskState::unknown;
    while (state != TaskState::waiting) {
        if (tid.load() != 0) state = read_task_status(getpid(), tid.load()).state;
    }
    EXPECT_EQ(state, TaskState::waiting);
    stop.store(true);
    stop.notify_all();
    waiting.join();
}

TEST(Migrations, AreFoundInTheTextOfTheKernel) {
    EXPECT_EQ(parse_migrations(
                  "se.vruntime : 1.5\nse.nr_migrations                             :                   12\nx : 3\n"),
              12);
    EXPECT_EQ(parse_migrations("se.nr_migrations : \nnr_switches : 5\n"), -1);
    EXPECT_EQ(parse_migrations(""), -1);
}

}  // namespace
}  // namespace pinwise
