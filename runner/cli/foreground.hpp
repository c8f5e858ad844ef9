#pragma once
/// Stands in for a program in the foreground: to the caller of pinwise it looks as if the program itself had been
/// called.

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>

#include <sys/types.h>

namespace pinwise::cli {

/// What is done while the program runs, again and again.
struct Tick {
    std::function<void()> run;
    std::int64_t interval_ns = 250'000'000;
};

/// From its construction on, signals to pinwise wait until they are passed on. The constructor also takes the places of
/// closed standard descriptors, so that no file of ours becomes the program's input or output.
class Foreground {
public:
    Foreground();

    /// Signals that were blocked before: what the program must start with.
    [[nodiscard]] const sigset_t& caller_mask() const { return caller_mask_; }

    /// Waits for the end of `program`, a child in our process group, and returns its wait status. Signals are passed on
    /// to it, except those the terminal has sent to the whole group; when it stops we stop, and with us it continues.
    int wait_for(pid_t program, const Tick& tick);
    /// The same for a program whose wait statuses somebody else collects: `poll` returns them without waiting, the
    /// last one and those of stops.
    int wait_for(pid_t program, const Tick& tick, const std::function<std::optional<int>()>& poll);

private:
    sigset_t caller_mask_{};
    sigset_t waited_for_{};
};

/// Ends the way the program ended: returns its exit status, or dies of the same signal, without a second core dump.
int end_like(int wait_status);

}  // namespace pinwise::cli
