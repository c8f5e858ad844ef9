#include "runner/trial/process_group.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/whole_file.hpp"
#include "runner/trial/steady_time.hpp"

namespace pinwise {
namespace {

/// How often the child is looked at where the kernel has no pidfd (before 5.3).
constexpr int poll_without_pidfd_ms = 5;
/// For processes that SIGKILL does not end at once.
constexpr std::int64_t reap_limit_ns = 2 * ns_per_s;

/// One output of the child: read to the end, kept in part.
class Capture {
public:
    enum class Keep : std::uint8_t { beginning, end };

    Capture(int fd, std::size_t limit, Keep keep) : fd_(fd), limit_(limit), keep_(keep) {
        if (fd_ >= 0) fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    Capture(Capture&&) = delete;
    Capture& operator=(Capture&&) = delete;
    ~Capture() { close(); }

    [[nodiscard]] int fd() const { return fd_; }

    /// Takes what is there now, at most a few buffers, so that a child that never stops writing cannot hold us.
    void drain() {
        constexpr int most_reads = 64;
        std::array<char, 16384> buffer{};
        for (int i = 0; i < most_reads && fd_ >= 0; ++i) {
            const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
            if (got > 0) add({buffer.data(), static_cast<std::size_t>(got)});
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close();
            if (got < 0) return;
        }
    }

    std::string take() { return std::move(text_); }
    [[nodiscard]] bool is_cut() const { return is_cut_; }

private:
    void add(std::string_view more) {
        is_cut_ = is_cut_ || more.size() > limit_ - std::min(limit_, text_.size());
        if (keep_ == Keep::beginning) {
            text_ += more.substr(0, limit_ - std::min(limit_, text_.size()));
            return;
        }
        text_ += more;
        if (text_.size() > limit_) text_.erase(0, text_.size() - limit_);
    }

    void close() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

    int fd_;
    std::size_t limit_;
    Keep keep_;
    std::string text_;
    bool is_cut_ = false;
};

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// The child has ended and can be waited for.
bool has_ended(pid_t child) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

/// Milliseconds until `deadline_ns`, rounded up, for poll().
int remaining_ms(std::int64_t deadline_ns) {
    const std::int64_t left = std::max<std::int64_t>(0, deadline_ns - steady_now_ns());
    return static_cast<int>(std::min<std::int64_t>((left + ns_per_ms - 1) / ns_per_ms, 1'000'000));
}

enum class WaitOutcome : std::uint8_t { ended, deadline, interrupted };

/// What else happens while a group is waited for.
struct Meanwhile {
    int interrupt_fd = -1;
    std::function<std::int64_t()> tick = {};
};

/// Reads the outputs until the child ends, the deadline passes or the interrupt comes.
WaitOutcome wait_until(pid_t child, int pidfd, std::int64_t deadline_ns, const Meanwhile& meanwhile, Capture& out,
                       Capture& err) {
    const int interrupt_fd = meanwhile.interrupt_fd;
    std::int64_t next_tick_ns = meanwhile.tick ? steady_now_ns() : deadline_ns;
    for (;;) {
        if (meanwhile.tick && steady_now_ns() >= next_tick_ns) {
            const std::int64_t pause_ms = meanwhile.tick();
            next_tick_ns = steady_now_ns() + pause_ms * ns_per_ms;
        }
        std::array<pollfd, 4> watched{
            {{pidfd, POLLIN, 0}, {interrupt_fd, POLLIN, 0}, {out.fd(), POLLIN, 0}, {err.fd(), POLLIN, 0}}};
        int wait_ms = remaining_ms(std::min(deadline_ns, next_tick_ns));
        if (pidfd < 0) wait_ms = std::min(wait_ms, poll_without_pidfd_ms);
        poll(watched.data(), watched.size(),
             wait_ms);  // negative descriptors are ignored; EINTR only means another round
        if (has_ended(child)) return WaitOutcome::ended;
        if (interrupt_fd >= 0 && (watched[1].revents & POLLIN) != 0) return WaitOutcome::interrupted;
        if (steady_now_ns() >= deadline_ns) return WaitOutcome::deadline;
        out.drain();
        err.drain();
    }
}

/// Parent of a process as /proc tells it, 0 when it is gone.
pid_t parent_of(const std::filesystem::path& process) {
    const std::string line = whole_file(process / "stat");
    const std::size_t comm_end = line.rfind(") ");  // a name may contain anything, line ends included
    if (comm_end == std::string::npos || line.size() < comm_end + 5) return 0;
    pid_t parent = 0;
    const char* const begin = line.data() + comm_end + 4;
    std::from_chars(begin, line.data() + line.size(), parent);
    return parent;
}

std::vector<pid_t> children_of_ours() {
    std::vector<pid_t> children;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename().string();
        pid_t pid = 0;
        const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (status == std::errc{} && end == name.data() + name.size() && parent_of(entry.path()) == getpid())
            children.push_back(pid);
    }
    return children;
}

/// The leader by its number too: it may have joined another group. It has not been waited for, so both are still its.
void signal_group(pid_t leader, int signal) {
    kill(-leader, signal);
    kill(leader, signal);
}

bool have_children() {
    siginfo_t info{};
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// Ends and reaps everything that became our child; what it leaves behind becomes our child in turn.
void end_strays(GroupResult& result) {
    std::vector<pid_t> seen;
    const std::int64_t deadline_ns = steady_now_ns() + reap_limit_ns;
    while (have_children()) {
        const std::vector<pid_t> children = children_of_ours();
        for (const pid_t child : children) {
            if (std::ranges::find(seen, child) == seen.end()) seen.push_back(child);
            kill(child, SIGKILL);
            waitpid(child, nullptr, WNOHANG);
        }
        if (steady_now_ns() >= deadline_ns) {
            result.not_ended = static_cast<int>(children.size());
            break;
        }
        if (!children.empty()) poll(nullptr, 0, 1);
    }
    result.left_behind = static_cast<int>(seen.size());
}

}  // namespace

Subreaper::Subreaper() {
    prctl(PR_GET_CHILD_SUBREAPER, &previous_, 0, 0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

Subreaper::~Subreaper() {
    prctl(PR_SET_CHILD_SUBREAPER, previous_, 0, 0, 0);
}

GroupResult wait_for_group(pid_t leader, std::int64_t start_ns, int out_fd, int err_fd, const GroupLimits& limits) {
    Capture out(out_fd, limits.captured_bytes, Capture::Keep::beginning);
    Capture err(err_fd, limits.captured_bytes, Capture::Keep::end);
    const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, leader, 0));
    GroupResult result;
    const auto deadline_ns = start_ns + static_cast<std::int64_t>(limits.timeout_s * ns_per_s);
    const WaitOutcome outcome =
        wait_until(leader, pidfd, deadline_ns, {.interrupt_fd = limits.interrupt_fd, .tick = limits.tick}, out, err);
    if (outcome != WaitOutcome::ended) {
        result.end = outcome == WaitOutcome::deadline ? EndReason::timeout : EndReason::interrupted;
        signal_group(leader, SIGTERM);
        signal_group(leader, SIGCONT);  // a stopped process cannot obey
        const auto grace_ns = steady_now_ns() + static_cast<std::int64_t>(limits.grace_s * ns_per_s);
        wait_until(leader, pidfd, grace_ns, {}, out, err);
    }
    result.wall_s = static_cast<double>(steady_now_ns() - start_ns) / ns_per_s;
    signal_group(leader, SIGKILL);  // the leader, unless it has ended, and every other member of its group
    rusage usage{};
    if (wait_until(leader, pidfd, steady_now_ns() + reap_limit_ns, {}, out, err) == WaitOutcome::ended &&
        wait4(leader, &result.wait_status, 0, &usage) == leader) {
        result.user_s = seconds_of(usage.ru_utime);
        result.sys_s = seconds_of(usage.ru_stime);
    }
    out.drain();
    err.drain();
    end_strays(result);
    if (pidfd >= 0) ::close(pidfd);
    result.output_cut = out.is_cut() || err.is_cut();
    result.out = out.take();
    result.err = err.take();
    return result;
}

}  // namespace pinwise
