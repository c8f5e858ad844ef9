#pragma once
/// Follows a program from outside with ptrace: every new thread is stopped at its birth, put on its CPU and let run.
/// For binaries that the preload agent cannot get into. It stops tasks at clone, fork, exec and exit only, changes no
/// register and no memory of the program, and works with a program of any architecture.
///
/// Runs in the process that is the program's parent, which collects all of its children's events: that process must
/// have no other children. When it is gone, the kernel lets the program run on by itself.

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include <sys/types.h>

#include "placer/agent/launch.hpp"
#include "placer/agent/thread_placer.hpp"
#include "placer/attach/ptrace_request.hpp"
#include "placer/attach/start_on_cpu.hpp"
#include "placer/result.hpp"

namespace pinwise {

class Tracer {
public:
    /// Errors: the session's memory cannot be understood.
    static Result<std::unique_ptr<Tracer>> create(SessionMemory memory);
    explicit Tracer(std::unique_ptr<ThreadPlacer> placer);

    /// For the LaunchSpec of the one program that is followed. The tracer must outlive the launch.
    [[nodiscard]] LaunchWatcher launch_watcher();

    /// Handles what has happened, without waiting; to be called at every SIGCHLD and a few times per second.
    /// Returns the program's wait status when it has ended, and once each time its process has stopped as a whole.
    std::optional<int> handle_events();

private:
    struct Task {
        pid_t pid = 0;               ///< its process; 0: its creator's event has not come yet
        std::optional<Birth> birth;  ///< once it is in the record
        CpuMask inherited;           ///< the affinity its creator had
        CpuMask without_us;          ///< and what that would have been without us
        bool has_started = false;
        bool waits_for_creator = false;  ///< has stopped at its birth before its creator's event came
        bool ends_exec = false;          ///< has its new image, but is still in the exec call
        bool bind_later = false;         ///< its process may still ask how many CPUs it has
        bool group_stopped = false;
        bool leaving = false;         ///< on its way out: takes no part in group stops
        std::int64_t since_ns = 0;    ///< of waits_for_creator, bind_later
        std::int64_t leaving_ns = 0;  ///< when it set out to end
    };

    Result<void> attach(pid_t program);
    void wait_for_exec(pid_t program);
    void handle_stop(pid_t tid, const Stop& stop);
    void handle_end(pid_t tid, int wait_status);

    void new_task(pid_t creator_tid, bool is_vfork);
    void begin(pid_t tid, Task& task, const Creator& creator);
    void stopped_at_birth(pid_t tid, Task& task);
    void start(pid_t tid, Task& task);
    void start_process(pid_t pid, Task& task, Newcomer kind);
    [[nodiscard]] CpuMask mask_without_us(pid_t tid) const;

    void new_image(pid_t pid);
    void at_syscall(pid_t tid, Task& task);
    void unbind_for_new_image(pid_t pid, Task& task);
    void bind_process(pid_t pid);
    void leaving(pid_t tid, Task& task);
    void group_stopped(pid_t tid, Task& task, int signal);
    [[nodiscard]] bool all_of_program_stopped() const;
    void look_after_tasks(std::int64_t now_ns);
    void adopt(pid_t tid, Task& task);

    std::unique_ptr<ThreadPlacer> placer_;
    std::unordered_map<pid_t, Task> tasks_;
    pid_t program_ = 0;
    std::optional<int> program_status_;
    std::optional<int> unreported_stop_;
    bool stop_was_reported_ = false;
    std::int64_t looked_ns_ = 0;
};

}  // namespace pinwise
