#include "runner/cli/foreground.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <optional>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/trial/steady_time.hpp"

namespace pinwise::cli {

namespace {

constexpr std::array forwarded_signals{SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2,  SIGALRM, SIGVTALRM,
                                       SIGPROF, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH, SIGURG,  SIGIO};

/// Close-on-exec: the program finds them closed, as the caller left them.
void occupy_closed_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // The lowest free number is taken, which is this one.
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) static_cast<void>(open("/dev/null", O_RDWR | O_CLOEXEC));
    }
}

/// What the kernel sends to the foreground group (ctrl-C, hang-up) has reached the program already; what the program
/// itself sends to its parent is not for it.
bool is_for_program(const siginfo_t& signal, pid_t program) {
    return signal.si_code != SI_KERNEL && signal.si_pid != program;
}

timespec until(std::int64_t deadline_ns) {
    const std::int64_t left_ns = std::max<std::int64_t>(0, deadline_ns - steady_now_ns());
    return {.tv_sec = left_ns / ns_per_s, .tv_nsec = left_ns % ns_per_s};
}

void set_default(int signal) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
}

/// Does to ourselves what the signal does by default, in spite of it being blocked. Returns when it was a stop.
void suffer(int signal) {
    sigset_t only;
    sigset_t saved;
    sigemptyset(&only);
    sigaddset(&only, signal);
    set_default(signal);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &only, &saved);
    sigprocmask(SIG_SETMASK, &saved, nullptr);
}

}  // namespace

Foreground::Foreground() {
    occupy_closed_standard_descriptors();
    // An ignored SIGCHLD, inherited from the caller, would lose the program's status.
    set_default(SIGCHLD);
    sigemptyset(&waited_for_);
    sigaddset(&waited_for_, SIGCHLD);
    for (const int signal : forwarded_signals)
        sigaddset(&waited_for_, signal);
    sigprocmask(SIG_BLOCK, &waited_for_, &caller_mask_);
}

int Foreground::wait_for(pid_t program, const Tick& tick) {
    return wait_for(program, tick, [program]() -> std::optional<int> {
        int status = 0;
        if (waitpid(program, &status, WNOHANG | WUNTRACED) != program) return std::nullopt;
        return status;
    });
}

int Foreground::wait_for(pid_t program, const Tick& tick, const std::function<std::optional<int>()>& poll) {
    std::int64_t next_tick_ns = steady_now_ns() + tick.interval_ns;
    while (true) {
        const auto status = poll();
        if (status && WIFSTOPPED(*status)) {
            suffer(WSTOPSIG(*status));
            kill(program, SIGCONT);
            continue;
        }
        if (status) return *status;
        siginfo_t signal{};
        const timespec patience = until(next_tick_ns);
        const int number = sigtimedwait(&waited_for_, &signal, &patience);
        if (const std::int64_t now_ns = steady_now_ns(); now_ns >= next_tick_ns) {
            tick.run();
            next_tick_ns = now_ns + tick.interval_ns;
        }
        if (number > 0 && number != SIGCHLD && is_for_program(signal, program)) kill(program, number);
    }
}

int end_like(int wait_status) {
    if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status);
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_CORE, &no_core);
    suffer(WTERMSIG(wait_status));
    return 128 + WTERMSIG(wait_status);  // a signal that does not kill us, though it killed the program
}

}  // namespace pinwise::cli
