#include "placer/attach/ptrace_request.hpp"

#include <csignal>

#include <sys/wait.h>

namespace pinwise {

namespace {

long request(__ptrace_request what, pid_t task, unsigned long data) {
    return ptrace(what, task, nullptr, data);
}

}  // namespace

Stop stop_of(int wait_status) {
    const int signal = WSTOPSIG(wait_status);
    switch (wait_status >> 16) {
        case PTRACE_EVENT_STOP:
            return signal == SIGTRAP ? Stop{StopKind::trap, 0} : Stop{StopKind::group_stop, signal};
        case PTRACE_EVENT_CLONE:
        case PTRACE_EVENT_FORK:
            return {StopKind::new_task, 0};
        case PTRACE_EVENT_VFORK:
            return {StopKind::new_task_vfork, 0};
        case PTRACE_EVENT_EXEC:
            return {StopKind::exec, 0};
        case PTRACE_EVENT_EXIT:
            return {StopKind::exit, 0};
        default:
            break;
    }
    constexpr int syscall_signal = SIGTRAP | 0x80;  // PTRACE_O_TRACESYSGOOD
    return signal == syscall_signal ? Stop{StopKind::syscall, 0} : Stop{StopKind::signal, signal};
}

bool seize(pid_t task) {
    return request(PTRACE_SEIZE, task, follow_options) == 0;
}

void let_run(pid_t task, int signal) {
    static_cast<void>(request(PTRACE_CONT, task, static_cast<unsigned long>(signal)));
}

void let_run_to_syscall(pid_t task) {
    static_cast<void>(request(PTRACE_SYSCALL, task, 0));
}

void leave_stopped(pid_t task) {
    static_cast<void>(request(PTRACE_LISTEN, task, 0));
}

std::optional<pid_t> event_task(pid_t task) {
    unsigned long message = 0;
    if (ptrace(PTRACE_GETEVENTMSG, task, nullptr, &message) != 0) return std::nullopt;
    return static_cast<pid_t>(message);
}

}  // namespace pinwise
