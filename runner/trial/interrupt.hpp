#pragma once
/// ctrl-C as a file descriptor that poll() can wait for.

#include <array>
#include <csignal>

#include "placer/result.hpp"

namespace pinwise {

/// While it exists, SIGINT, SIGTERM and SIGHUP do not end this process but are noted; programs started meanwhile get
/// their default disposition back by exec. At most one object at a time.
class InterruptWatch {
public:
    static Result<InterruptWatch> install();
    InterruptWatch(InterruptWatch&& other) noexcept;
    InterruptWatch& operator=(InterruptWatch&&) = delete;
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    ~InterruptWatch();

    /// Readable from the first signal on; never read from it.
    [[nodiscard]] int fd() const { return read_fd_; }
    /// The signal that came first, 0 when none did.
    [[nodiscard]] static int signal_number();

private:
    InterruptWatch(int read_fd, int write_fd) : read_fd_(read_fd), write_fd_(write_fd) {}
    int read_fd_ = -1;
    int write_fd_ = -1;
    std::array<struct sigaction, 3> previous_{};
};

}  // namespace pinwise
