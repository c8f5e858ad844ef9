#pragma once
/// Waits for a launched process group, with a time limit, and leaves nothing of it behind.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace pinwise {

enum class EndReason : std::uint8_t { exited, timeout, interrupted };

struct GroupLimits {
    double timeout_s = 0;
    double grace_s = 2;                  ///< between SIGTERM and SIGKILL
    std::size_t captured_bytes = 65536;  ///< of each output; the rest is read and dropped
    int interrupt_fd = -1;               ///< readable: end the group now; -1: none
    /// Done while the first process runs; returns after how many milliseconds it wants to be done again. May be empty.
    std::function<std::int64_t()> tick = {};
};

struct GroupResult {
    EndReason end = EndReason::exited;
    int wait_status = 0;  ///< of the first process, as wait4() gives it
    double wall_s = 0;    ///< until the first process ended
    double user_s = 0;    ///< of the first process and the children it waited for
    double sys_s = 0;
    std::string out;          ///< the beginning of its standard output
    std::string err;          ///< the end of its standard error
    bool output_cut = false;  ///< one of the two is not all of it
    int left_behind = 0;      ///< descendants the first process did not wait for; those still alive were killed
    int not_ended = 0;        ///< processes that even SIGKILL did not end in time (uninterruptible sleep)
};

/// While it exists, orphans of our descendants become our children, so that they can be found and ended.
class Subreaper {
public:
    Subreaper();
    Subreaper(const Subreaper&) = delete;
    Subreaper& operator=(const Subreaper&) = delete;
    Subreaper(Subreaper&&) = delete;
    Subreaper& operator=(Subreaper&&) = delete;
    ~Subreaper();

private:
    int previous_ = 0;
};

/// `leader` is a child of ours and the leader of its process group, started at `start_ns` (CLOCK_MONOTONIC); `out_fd`
/// and `err_fd` are the reading ends of its outputs and are closed. With a Subreaper, children of ours that the group
/// left behind are ended as well, wherever they moved: the caller must have no other children.
GroupResult wait_for_group(pid_t leader, std::int64_t start_ns, int out_fd, int err_fd, const GroupLimits& limits);

}  // namespace pinwise
