#include "workloads/common/child_processes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workloads/common/allowed_cpus.hpp"
#include "workloads/common/monotonic_time.hpp"
#include "workloads/common/whole_file.hpp"

namespace pinwise::workloads {

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t grace_ns = ns_per_s;
constexpr std::int64_t kill_ns = 5 * ns_per_s;

sigset_t ending_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD})
        sigaddset(&set, signal);
    return set;
}

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string why_no_process() {
    const int error = errno;
    const bool limited = error == EAGAIN;
    return fmt::format("a process could not be started: {}{}", std::strerror(error),
                       limited ? "; the limits are ulimit -u, the cgroup's pids.max and kernel.pid_max" : "");
}

/// The parent in the text of /proc/PID/stat; the name before it may hold anything, so the last ')' ends it.
std::optional<pid_t> parent_in(std::string_view stat) {
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string_view::npos || name_end + 4 >= stat.size()) return std::nullopt;
    const std::string_view rest = stat.substr(name_end + 4);  // ") S "
    pid_t parent = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), parent);
    return error == std::errc{} ? std::optional(parent) : std::nullopt;
}

std::vector<pid_t> own_children() {
    std::vector<pid_t> children;
    const pid_t self = getpid();
    std::error_code error;
    for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        pid_t pid = 0;
        const auto [rest, status] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (status != std::errc{} || rest != name.data() + name.size()) continue;
        if (parent_in(whole_file(entry->path() / "stat")) == self) children.push_back(pid);
    }
    return children;
}

struct CpuMask {
    CpuSetPointer set;
    std::size_t bytes = 0;
};

CpuMask mask_of(const std::vector<int>& cpus) {
    if (cpus.empty()) return {};
    const auto width = static_cast<std::size_t>(*std::ranges::max_element(cpus)) + 1;
    CpuMask mask{CpuSetPointer(CPU_ALLOC(width)), CPU_ALLOC_SIZE(width)};
    CPU_ZERO_S(mask.bytes, mask.set.get());
    for (const int cpu : cpus)
        CPU_SET_S(static_cast<std::size_t>(cpu), mask.bytes, mask.set.get());
    return mask;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

std::string end_text(int wait_status) {
    if (!WIFSIGNALED(wait_status)) return fmt::format("exit status {}", WEXITSTATUS(wait_status));
    const char* const name = sigabbrev_np(WTERMSIG(wait_status));
    return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", WTERMSIG(wait_status));
}

ChildProcesses::ChildProcesses() {
    const sigset_t signals = ending_signals();
    sigprocmask(SIG_BLOCK, &signals, &previous_mask_);
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;  // a caller that ignores SIGCHLD would have children reaped unseen
    sigaction(SIGCHLD, &by_default, &previous_sigchld_);
    signals_ = Descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    prctl(PR_GET_CHILD_SUBREAPER, &previous_subreaper_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

ChildProcesses::~ChildProcesses() {
    end_all();
    prctl(PR_SET_CHILD_SUBREAPER, previous_subreaper_);
    while (read_signal() != 0) {
    }
    sigaction(SIGCHLD, &previous_sigchld_, nullptr);
    sigprocmask(SIG_SETMASK, &previous_mask_, nullptr);
}

/// Async-signal-safe, for children of _Fork().
void ChildProcesses::become_child(pid_t parent) const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it died before that
    sigaction(SIGCHLD, &previous_sigchld_, nullptr);
    sigprocmask(SIG_SETMASK, &previous_mask_, nullptr);
}

Expected<pid_t> ChildProcesses::fork(const std::function<int()>& body) {
    if (!signals_.is_open()) return failed_run("no descriptor to wait for children with; raise ulimit -n");
    // What is buffered would be written by every child again.
    std::fflush(nullptr);
    const pid_t parent = getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return failed_run(why_no_process());
    if (pid > 0) return pid;
    become_child(parent);
    signals_.close();
    int status = 1;
    try {
        status = body();
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
    }
    std::exit(status);
}

Expected<pid_t> ChildProcesses::start(const OutsideProgram& program) {
    if (!signals_.is_open()) return failed_run("no descriptor to wait for children with; raise ulimit -n");
    std::vector<std::string> command = program.command;
    std::vector<std::string> environment = program.environment;
    const std::vector<char*> arguments = pointers_to(command);
    const std::vector<char*> variables = pointers_to(environment);
    const CpuMask mask = mask_of(program.cpus);
    const pid_t parent = getpid();
    const pid_t pid = _Fork();
    if (pid < 0) return failed_run(why_no_process());
    if (pid > 0) return pid;
    become_child(parent);
    setpgid(0, 0);
    // A refusal leaves the affinity it has.
    if (mask.set) static_cast<void>(sched_setaffinity(0, mask.bytes, mask.set.get()));
    const int nothing = ::open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(program.output_fd, STDOUT_FILENO);
    dup2(program.output_fd, STDERR_FILENO);
    execve(arguments.front(), arguments.data(), variables.data());
    _exit(127);
}

std::vector<ChildEnd> ChildProcesses::reap() {
    std::vector<ChildEnd> ended;
    rusage usage{};
    int status = 0;
    for (pid_t pid = 0; (pid = wait4(-1, &status, WNOHANG, &usage)) > 0;)
        ended.push_back({pid, status, seconds_of(usage.ru_utime), seconds_of(usage.ru_stime), monotonic_ns()});
    return ended;
}

int ChildProcesses::read_signal() const {
    signalfd_siginfo info{};
    return read(signals_.get(), &info, sizeof info) == ssize_t{sizeof info} ? static_cast<int>(info.ssi_signo) : 0;
}

Happening ChildProcesses::wait(int readable_fd, std::optional<std::int64_t> until_ns) {
    Happening happening;
    while (true) {
        while (const int signal = read_signal())
            if (signal != SIGCHLD && happening.signal == 0) happening.signal = signal;
        happening.ended = reap();
        const std::int64_t now = monotonic_ns();
        const bool over = until_ns && now >= *until_ns;
        const bool something = happening.signal != 0 || !happening.ended.empty();
        const std::int64_t left_ms = until_ns ? (*until_ns - now) / 1'000'000 + 1 : -1;
        const int timeout_ms =
            over || something ? 0 : static_cast<int>(std::min<std::int64_t>(left_ms, std::numeric_limits<int>::max()));
        std::array<pollfd, 2> watched{{{signals_.get(), POLLIN, 0}, {readable_fd, POLLIN, 0}}};
        poll(watched.data(), watched.size(), timeout_ms);
        happening.readable = watched[1].revents != 0;
        if (over || something || happening.readable) return happening;
    }
}

void ChildProcesses::end_all() {
    const std::int64_t begin = monotonic_ns();
    std::set<pid_t> asked;  // orphans of those that have ended come after them
    while (true) {
        reap();
        const std::vector<pid_t> children = own_children();
        const std::int64_t passed_ns = monotonic_ns() - begin;
        if (children.empty() || passed_ns > grace_ns + kill_ns) return;
        for (const pid_t pid : children) {
            if (passed_ns > grace_ns) {
                kill(pid, SIGKILL);
            } else if (asked.insert(pid).second) {
                kill(pid, SIGTERM);
            }
        }
        wait(-1, monotonic_ns() + ns_per_s / 100);
    }
}

Expected<void> ensure_descriptors(std::uint64_t count, const std::string& what) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || count <= limit.rlim_cur) return {};
    if (count > limit.rlim_max)
        return failed_run(fmt::format("{} needs {} open descriptors, the limit is {}; ask for less or raise ulimit -n",
                                      what, count, limit.rlim_max));
    limit.rlim_cur = count;
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
    return failed_run(
        fmt::format("the limit of open descriptors could not be raised to {}: {}", count, std::strerror(errno)));
}

Expected<DescriptorPair> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return failed_run(fmt::format("no pipe: {}", std::strerror(errno)));
    return DescriptorPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace pinwise::workloads
