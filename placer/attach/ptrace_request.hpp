#pragma once
/// ptrace() with types, and the stops it tells of.

#include <optional>

#include <sys/ptrace.h>
#include <sys/types.h>

namespace pinwise {

/// Options of every follower: new tasks, exec and ends are told; no exit-kill, so that the program outlives us.
inline constexpr unsigned long follow_options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                                                PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD;

/// Stops a wait status can mean. SIGSTOP and its like stop a whole process: group_stop.
enum class StopKind { signal, group_stop, trap, syscall, new_task, new_task_vfork, exec, exit };

struct Stop {
    StopKind kind = StopKind::signal;
    int signal = 0;  ///< of signal and group_stop
};

/// What a status with WIFSTOPPED means for a task that was attached with PTRACE_SEIZE.
Stop stop_of(int wait_status);

/// Attaches to a task without stopping it; false with errno.
[[nodiscard]] bool seize(pid_t task);
/// Lets a stopped task run on, a signal is delivered to it. A task that was killed meanwhile is none of our business:
/// its death is told anyway.
void let_run(pid_t task, int signal = 0);
/// The same, but it stops again at the next start or end of a system call.
void let_run_to_syscall(pid_t task);
/// Leaves a task in its group stop, until SIGCONT.
void leave_stopped(pid_t task);
/// New task of a clone, fork or vfork; former thread id of an exec. Nothing when the task was killed meanwhile.
std::optional<pid_t> event_task(pid_t task);

}  // namespace pinwise
