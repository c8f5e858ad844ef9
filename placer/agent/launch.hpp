#pragma once
/// Starts a program with a mask, and with or without a session: used by `pinwise exec` and by every trial.

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "placer/result.hpp"
#include "placer/topology/cpu_set.hpp"

namespace pinwise {

struct LaunchSpec {
    std::vector<std::string> command;      ///< argv; command[0] is searched in PATH
    std::vector<std::string> environment;  ///< NAME=VALUE, added to (and overriding) the caller's environment
    std::optional<CpuSet> cpus;            ///< affinity of the initial thread; absent: inherited
    std::string working_directory;         ///< empty: the caller's
    bool new_process_group = false;        ///< trials: so that a timeout ends the whole group
    int stdin_fd = -1;                     ///< -1: inherited, as for the next two
    int stdout_fd = -1;
    int stderr_fd = -1;
};

/// Starts the program and returns its pid once exec succeeded. Every other descriptor of ours is closed in it.
/// Errors: not found or not executable (usage, exit status 127/126 is the caller's business), no process (failure).
Result<pid_t> launch(const LaunchSpec& spec);

/// Why a program cannot be followed by the preload agent: static, setuid, not an ELF file, other architecture.
/// Empty when it can. A script is judged by its interpreter.
std::string why_agent_cannot_follow(const std::string& program);

}  // namespace pinwise
