#include "placer/attach/ptrace_permission.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/attach/ptrace_request.hpp"

namespace pinwise {

namespace {

bool is_traced_already(pid_t child) {
    std::ifstream status(fmt::format("/proc/{}/status", child));
    for (std::string key; status >> key;) {
        int tracer = 0;
        if (key == "TracerPid:") return status >> tracer && tracer != 0;
    }
    return false;
}

/// From 2 on it is in the way of a parent, too.
int yama_scope() {
    std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
    int scope = 0;
    return file >> scope ? scope : 0;
}

std::string why_refused(pid_t child, int error) {
    if (is_traced_already(child)) return "pinwise is itself being traced";
    if (const int scope = yama_scope(); scope >= 2) return fmt::format("kernel.yama.ptrace_scope is {}", scope);
    return fmt::format("{}; a container needs a seccomp profile that permits it", std::strerror(error));
}

}  // namespace

Result<void> check_ptrace() {
    const pid_t self = getpid();
    const pid_t child = fork();
    if (child < 0) return failure(fmt::format("cannot start a process: {}", std::strerror(errno)));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        // Killed before that, it would never end the child.
        while (getppid() == self)
            pause();
        _exit(0);
    }
    Result<void> result;
    if (!seize(child)) result = failure(fmt::format("ptrace is not permitted ({})", why_refused(child, errno)));
    kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, __WALL) == child && WIFSTOPPED(status))
        let_run(child);
    return result;
}

}  // namespace pinwise
