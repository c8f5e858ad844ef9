#include "placer/agent/task_status.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pinwise {

namespace {

constexpr int cpu_field = 39;
constexpr int start_time_field = 22;
constexpr int state_field = 3;

/// What of the file fits into `buffer`; errno of a failed open in `error`. Raw system calls: open and read of libc are
/// cancellation points, and the thread that runs this may be about to be cancelled.
std::string_view read_start(int pid, int tid, std::string_view file, std::span<char> buffer, int& error) {
    std::array<char, 64> path{};
    fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/task/{}/{}", pid, tid, file);
    const int saved_errno = errno;
    error = 0;
    const auto descriptor = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.data(), O_RDONLY | O_CLOEXEC));
    if (descriptor < 0) error = errno;
    long count = 0;
    if (descriptor >= 0) {
        count = syscall(SYS_read, descriptor, buffer.data(), buffer.size());
        if (count < 0) error = errno;
        syscall(SYS_close, descriptor);
    }
    errno = saved_errno;
    return {buffer.data(), static_cast<std::size_t>(std::max(count, 0L))};
}

template <class Number>
Number number_at(std::string_view text, Number otherwise) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? value : otherwise;
}

/// Without /proc (a changed root) or where it hides other users' processes, a missing file means nothing.
bool is_gone(int pid, int tid) {
    const int saved_errno = errno;
    const bool gone = syscall(SYS_tgkill, pid, tid, 0) != 0 && errno == ESRCH;
    errno = saved_errno;
    return gone;
}

TaskState state_of(char letter) {
    if (letter == 'R' || letter == 'D') return TaskState::runnable;
    if (letter == 'Z' || letter == 'X' || letter == 'x') return TaskState::gone;
    return TaskState::waiting;
}

}  // namespace

TaskStatus parse_task_stat(std::string_view line) {
    TaskStatus status;
    // The name stands in brackets and may itself hold blanks and brackets.
    const auto open = line.find('(');
    const auto close = line.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return status;
    const auto name = line.substr(open + 1, std::min<std::size_t>(close - open - 1, status.name.size() - 1));
    std::ranges::copy(name, status.name.begin());
    std::string_view rest = line.substr(close + 1);
    char letter = 0;
    for (int field = state_field; field <= cpu_field; ++field) {
        const auto start = rest.find_first_not_of(' ');
        if (start == std::string_view::npos) return TaskStatus{};
        rest.remove_prefix(start);
        if (field == state_field) letter = rest.front();
        if (field == start_time_field) status.start_ticks = number_at<std::uint64_t>(rest, 0);
        if (field == cpu_field) status.cpu = number_at<int>(rest, -1);
        rest.remove_prefix(std::min(rest.find(' '), rest.size()));
    }
    status.state = state_of(letter);
    return status;
}

TaskStatus read_task_status(int pid, int tid) {
    std::array<char, 512> buffer{};
    int error = 0;
    const auto line = read_start(pid, tid, "stat", buffer, error);
    if ((error == ENOENT || error == ESRCH) && is_gone(pid, tid)) return TaskStatus{.state = TaskState::gone};
    return parse_task_stat(line);
}

std::int64_t parse_busy_ns(std::string_view text) {
    const auto ran_ns = number_at<std::int64_t>(text, 0);
    text.remove_prefix(std::min(text.find(' '), text.size()));
    const auto waited_ns = number_at<std::int64_t>(text.substr(std::min<std::size_t>(1, text.size())), 0);
    return ran_ns + waited_ns > 0 ? ran_ns + waited_ns : -1;
}

std::int64_t read_busy_ns(int pid, int tid) {
    std::array<char, 96> buffer{};
    int error = 0;
    return parse_busy_ns(read_start(pid, tid, "schedstat", buffer, error));
}

std::int64_t parse_migrations(std::string_view text) {
    constexpr std::string_view key = "se.nr_migrations";
    const auto found = text.find(key);
    if (found == std::string_view::npos) return -1;
    const auto line = text.substr(found, text.find('\n', found) - found);
    const auto start = line.find_first_of("0123456789", key.size());
    return start == std::string_view::npos ? -1 : number_at<std::int64_t>(line.substr(start), -1);
}

std::int64_t read_migrations(int pid, int tid) {
    std::array<char, 1024> buffer{};
    int error = 0;
    return parse_migrations(read_start(pid, tid, "sched", buffer, error));
}

}  // namespace pinwise
