#include "placer/attach/ptrace_request.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace pinwise {
namespace {

int status_of(int event, int signal) {
    return event << 16 | signal << 8 | 0x7f;
}

TEST(PtraceStop, TellsSignalsFromStops) {
    EXPECT_EQ(stop_of(status_of(0, SIGTERM)).kind, StopKind::signal);
    EXPECT_EQ(stop_of(status_of(0, SIGTERM)).signal, SIGTERM);
    EXPECT_EQ(stop_of(status_of(0, SIGTRAP)).kind, StopKind::signal) << "a breakpoint of the program's own";
    EXPECT_EQ(stop_of(status_of(0, SIGSTOP)).kind, StopKind::signal) << "on its way, not yet stopped";
    EXPECT_EQ(stop_of(status_of(PTRACE_EVENT_STOP, SIGTSTP)).kind, StopKind::group_stop);
    EXPECT_EQ(stop_of(status_of(PTRACE_EVENT_STOP, SIGTSTP)).signal, SIGTSTP);
    EXPECT_EQ(stop_of(status_of(PTRACE_EVENT_STOP, SIGTRAP)).kind, StopKind::trap);
}

TEST(PtraceStop, TellsEventsApart) {
    EXPECT_EQ(stop_of(status_of(0, SIGTRAP | 0x80)).kind, StopKind::syscall);
    EXPECT_EQ(stop_of(status_of(PTRACE_EVENT_CLONE, SIGTRAP)).kind, StopKind::new_task);
    EXPECT_EQ(stop_of(status_of(PTRACE_EVENT_FORK, SIGTRAP)).kind, StopKind::new_task);
    EXPECT_EQ(stop_of(status_of(PTRACE_EVENT_VFORK, SIGTRAP)).kind, StopKind::new_task_vfork);
    EXPECT_EQ(stop_of(status_of(PTRACE_EVENT_EXEC, SIGTRAP)).kind, StopKind::exec);
    EXPECT_EQ(stop_of(status_of(PTRACE_EVENT_EXIT, SIGTRAP)).kind, StopKind::exit);
}

}  // namespace
}  // namespace pinwise
