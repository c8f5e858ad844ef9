#pragma once
/// The processes that a workload starts: whatever way the workload ends, none of them is left.

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "workloads/common/descriptor.hpp"
#include "workloads/common/expected.hpp"

namespace pinwise::workloads {

/// How a child ended.
struct ChildEnd {
    pid_t pid = 0;
    int wait_status = 0;  ///< as wait4() gives it
    double user_s = 0;    ///< of it and of the children it waited for
    double sys_s = 0;
    std::int64_t seen_ns = 0;  ///< CLOCK_MONOTONIC

    [[nodiscard]] bool ended_well() const { return wait_status == 0; }
};

/// "exit status 3", "SIGSEGV".
std::string end_text(int wait_status);

/// What a wait was ended by; nothing of it: its time was over.
struct Happening {
    std::vector<ChildEnd> ended;
    int signal = 0;         ///< SIGINT, SIGTERM or SIGHUP came
    bool readable = false;  ///< the descriptor has data, or its other end is closed
};

/// A program of somebody else's.
struct OutsideProgram {
    std::vector<std::string> command;
    std::vector<std::string> environment;  ///< "NAME=VALUE"
    std::vector<int> cpus;                 ///< its affinity; empty: inherited
    int output_fd = -1;                    ///< its standard output and error
};

/// While it exists, SIGINT, SIGTERM and SIGHUP are what wait() answers rather than the end of this process, and
/// orphans of its descendants become its children. Dying with children ends them all. When this process is killed by
/// SIGKILL, the kernel kills its children (PR_SET_PDEATHSIG). One at a time, in a process with one thread.
class ChildProcesses {
public:
    ChildProcesses();
    ChildProcesses(const ChildProcesses&) = delete;
    ChildProcesses& operator=(const ChildProcesses&) = delete;
    ChildProcesses(ChildProcesses&&) = delete;
    ChildProcesses& operator=(ChildProcesses&&) = delete;
    ~ChildProcesses();

    /// A child that runs `body` and exits with what it returns (1 after an exception). Fails with the limits that may
    /// have been hit.
    Expected<pid_t> fork(const std::function<int()>& body);

    /// A child that runs a program in a process group of its own. It is made without fork handlers: what was preloaded
    /// into this process to act on its children learns nothing of it. A program that cannot be run exits with 127.
    Expected<pid_t> start(const OutsideProgram& program);

    /// Waits until a child has ended, a signal came, `readable_fd` (−1: none) is readable, or CLOCK_MONOTONIC has
    /// reached `until_ns`. Ends of orphans come too, under pids that nobody asked for.
    Happening wait(int readable_fd = -1, std::optional<std::int64_t> until_ns = {});

    /// Ends all children and what they leave behind: SIGTERM, and after a second SIGKILL.
    void end_all();

private:
    void become_child(pid_t parent) const;
    std::vector<ChildEnd> reap();
    [[nodiscard]] int read_signal() const;

    sigset_t previous_mask_{};
    struct sigaction previous_sigchld_ {};
    int previous_subreaper_ = 0;
    Descriptor signals_;
};

/// Makes sure that this process may have `count` descriptors open, raising its soft limit; failing that, one line that
/// says what needs them and what the limit is.
Expected<void> ensure_descriptors(std::uint64_t count, const std::string& what);

/// A pipe, close-on-exec.
Expected<DescriptorPair> make_pipe();

}  // namespace pinwise::workloads
