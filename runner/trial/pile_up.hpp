#pragma once
/// How long threads of a program shared CPUs after their start, from looks at /proc while it runs.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "placer/agent/thread_record.hpp"

namespace pinwise {

/// A live thread at one moment.
struct SeenThread {
    int tid = 0;
    int cpu = -1;
    bool runnable = false;
    std::int64_t busy_ns = -1;  ///< ran, or waited for a CPU, since its birth; -1: this kernel does not tell
};

struct ThreadLook {
    std::int64_t time_ns = 0;  ///< CLOCK_MONOTONIC
    std::vector<SeenThread> threads;
};

/// Looks at the live threads of a session: often at first, later every twentieth of the time since its start, and so
/// that looking takes at most a hundredth of one CPU.
class ThreadLooks {
public:
    explicit ThreadLooks(std::int64_t start_ns) : start_ns_(start_ns) {}

    /// Whether it is time for another look. The answer costs nothing.
    [[nodiscard]] bool due(std::int64_t now_ns) const { return now_ns >= next_ns_; }
    void look(std::span<const ThreadRecord> threads);
    [[nodiscard]] std::int64_t next_ns() const { return next_ns_; }
    [[nodiscard]] std::span<const ThreadLook> all() const { return looks_; }

private:
    std::int64_t start_ns_;
    std::int64_t next_ns_ = 0;
    std::vector<ThreadLook> looks_;
};

/// Seconds from when the last of `workers` was born to the last of those looks, from the first one on, at which two
/// busy ones were on one CPU: they shared it at least so long. 0: not even at the first look. Busy is who is runnable,
/// or was for more than half of the time since the look before, so that a barrier does not end a pile-up and an idle
/// thread does not make one. Absent: there was no look while all of them were there. Pure.
std::optional<double> piled_up_s(std::span<const ThreadLook> looks, std::span<const ThreadRecord> workers);

}  // namespace pinwise
