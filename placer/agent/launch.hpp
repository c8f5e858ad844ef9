#pragma once
/// Starts a program with a mask, and with or without a session: used by `pinwise exec` and by every trial.

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "placer/agent/program_file.hpp"
#include "placer/memory/apply_memory_policy.hpp"
#include "placer/result.hpp"
#include "placer/topology/cpu_set.hpp"

namespace pinwise {

/// What the program gets of the state that a process hands down.
enum class Inheritance {
    clean,        ///< trials: descriptors above 2 closed, every signal at its default and unblocked
    transparent,  ///< `pinwise exec`: what our own parent gave us; descriptors of ours are close-on-exec
};

/// Somebody who follows the program from before its exec on: a tracer.
struct LaunchWatcher {
    /// The child exists and waits. A failure ends it, and is the failure of launch().
    std::function<Result<void>(pid_t)> attach;
    /// The child was let go: returns when it has become the program or has ended.
    std::function<void(pid_t)> wait_for_exec;
};

struct LaunchSpec {
    std::vector<std::string> command;      ///< argv; command[0] is searched in PATH
    std::vector<std::string> environment;  ///< NAME=VALUE, added to (and overriding) the caller's environment
    std::optional<CpuSet> cpus;            ///< affinity of the initial thread; absent: inherited
    std::optional<MemoryPolicy> memory;    ///< as resolve_memory_policy() returns it; absent: inherited
    std::string working_directory;         ///< empty: the caller's
    bool new_process_group = false;        ///< trials: so that a timeout ends the whole group
    bool end_with_caller = false;          ///< trials: when our process dies, kill -9 included, the program does too
    int stdin_fd = -1;                     ///< -1: inherited, as for the next two
    int stdout_fd = -1;
    int stderr_fd = -1;
    Inheritance inheritance = Inheritance::clean;
    std::optional<sigset_t> signal_mask;  ///< transparent: signals blocked in the program; absent: as in the caller
    std::optional<LaunchWatcher> watcher;
};

/// What the caller should know of a program that was started.
struct LaunchFacts {
    std::optional<MemoryAnswer> memory;  ///< where a memory policy was asked for. A refusal does not stop the program
};

/// Starts the program and returns its pid once exec succeeded. A file that the kernel does not know is given to
/// /bin/sh, as shells do. Scripts find the name in $0 that they would find without us.
/// Errors: not found, not executable, a mask with no usable CPU (usage); no process (failure).
Result<pid_t> launch(const LaunchSpec& spec, LaunchFacts* facts = nullptr);

}  // namespace pinwise
