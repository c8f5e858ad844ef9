#include "runner/trial/interrupt.hpp"

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace pinwise {
namespace {

constexpr std::array<int, 3> watched{SIGINT, SIGTERM, SIGHUP};

// A signal handler has no argument of ours: these two are how it reaches the object.
std::atomic<int> first_signal = 0;
std::atomic<int> pipe_write_fd = -1;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only use lock-free atomics");

void note_signal(int number) {
    const int saved = errno;
    int none = 0;
    first_signal.compare_exchange_strong(none, number);
    const char byte = 1;
    if (::write(pipe_write_fd.load(), &byte, 1) < 0)
        errno = saved;  // a full pipe is readable, which is all that is needed
    errno = saved;
}

}  // namespace

Result<InterruptWatch> InterruptWatch::install() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return failure(fmt::format("no pipe: {}", std::system_category().message(errno)));
    InterruptWatch watch(ends[0], ends[1]);
    first_signal = 0;
    pipe_write_fd = ends[1];
    struct sigaction action {};
    action.sa_handler = note_signal;
    for (std::size_t i = 0; i < watched.size(); ++i)
        sigaction(watched[i], &action, &watch.previous_[i]);
    return watch;
}

InterruptWatch::InterruptWatch(InterruptWatch&& other) noexcept
    : read_fd_(std::exchange(other.read_fd_, -1)),
      write_fd_(std::exchange(other.write_fd_, -1)),
      previous_(other.previous_) {}

InterruptWatch::~InterruptWatch() {
    if (read_fd_ < 0) return;
    for (std::size_t i = 0; i < watched.size(); ++i)
        sigaction(watched[i], &previous_[i], nullptr);
    ::close(read_fd_);
    ::close(write_fd_);
}

int InterruptWatch::signal_number() {
    return first_signal.load();
}

}  // namespace pinwise
