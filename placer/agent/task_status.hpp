#pragma once
/// What /proc says of one thread, read without allocating and without cancellation points.

#include <array>
#include <cstdint>
#include <string_view>

namespace pinwise {

enum class TaskState {
    /// State R, on a CPU or waiting for one; or D, waiting for the kernel for a moment, as a starting thread does at
    /// its
    /// first page faults. Taking that one for asleep gave its CPU away again. The kernel's load average counts both.
    runnable,
    waiting,  ///< every other state of a thread that exists
    gone,     ///< no such thread, or a zombie
    unknown,  ///< /proc cannot be read
};

struct TaskStatus {
    TaskState state = TaskState::unknown;
    int cpu = -1;                   ///< where it runs or last ran
    std::uint64_t start_ticks = 0;  ///< start time: two tasks with one tid differ in it
    std::array<char, 16> name{};    ///< comm, zero-terminated
};

TaskStatus read_task_status(int pid, int tid);

/// A line of /proc/PID/task/TID/stat. Unknown state when it is not one.
TaskStatus parse_task_stat(std::string_view line);

/// Nanoseconds that the thread ran or waited for a CPU since its birth, as far as the kernel has accounted for them (at
/// its ticks); -1 when it does not tell or the thread is gone.
std::int64_t read_busy_ns(int pid, int tid);

/// The sum of the first two numbers of /proc/PID/task/TID/schedstat; -1 when that is 0, which means no accounting.
std::int64_t parse_busy_ns(std::string_view text);

/// se.nr_migrations; -1 when this kernel does not tell or the thread is gone.
std::int64_t read_migrations(int pid, int tid);

/// The value behind "se.nr_migrations" in the text of /proc/PID/task/TID/sched; -1 when it is not there.
std::int64_t parse_migrations(std::string_view text);

}  // namespace pinwise
