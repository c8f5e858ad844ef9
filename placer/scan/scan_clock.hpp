#pragma once
/// When a thread may scan: the arithmetic of Linux NUMA balancing (v4.18 to v7.1) on clocks that the caller reads.
///
/// A thread's clock runs on the thread's own CPU time, so an idle thread never scans. The address space has one more
/// clock, in CLOCK_MONOTONIC, which lets exactly one thread scan in an interval. Nothing here allocates, locks or makes
/// a system call; all of it may be used in a signal handler.
///
/// In use, for each thread every tick or so:
///     if (clock.tick(tunables, cpu_time_ns, resident_bytes) && space.claim(now_ns, clock.period_ms(), ...) == won) {
///         clock.scan_begins(tunables); ... arm a window ...; clock.charge(cost_ns);
///     }
///     if (clock.adaptation_due(space.scan_seq())) clock.adapt(tunables, faults, resident_bytes, space, now_ns);
///
/// Linux's NUMA groups (threads that share pages) are not modelled: periods are those of a thread without a group.

#include <atomic>
#include <cstdint>

namespace pinwise {

/// What a new thread's clock starts from. Commit 137844759843 ("Stagger NUMA balancing scan periods for new threads").
enum class Stagger : std::uint32_t {
    unstaggered,  ///< before it: zero, and the first scan sets the period to the start period
    as_intended,  ///< min(scan_max, period x users) milliseconds + 2 ticks
    as_coded,  ///< as Linux does it: the minimum of a number of milliseconds and one of nanoseconds, so that the delay
               ///< is 2 ticks and at most 60 us, whatever the number of threads
};

/// Linux's defaults. One "page" is 4096 bytes throughout.
struct ScanTunables {
    std::uint64_t window_bytes = 256ULL << 20;  ///< scan_size: how much one scan may change
    std::uint32_t delay_ms = 1000;              ///< scan_delay: CPU time before the first scan
    std::uint32_t period_min_ms = 1000;         ///< for a program of one window; divided by the number of windows
    std::uint32_t period_max_ms = 60000;
    std::uint64_t tick_ns = 4'000'000;  ///< 1 s / HZ
    Stagger stagger = Stagger::as_intended;
    /// With what Linux does not mean to do: a failed migration keeps slowing the clock down until the thread ends, a
    /// window of nothing but private remote faults counts as an idle one.
    bool faithful = false;
};

struct ScanPeriods {
    std::uint32_t start_ms = 0;
    std::uint32_t min_ms = 0;
    std::uint32_t max_ms = 0;
    std::uint64_t windows = 0;  ///< scans for one pass over all resident memory
};

/// `resident_bytes` 0 counts as one window.
ScanPeriods scan_periods(const ScanTunables& tunables, std::uint64_t resident_bytes) noexcept;

/// Delay of a new thread's clock. `users`: threads of the address space, the new one not counted.
std::uint64_t stagger_delay_ns(const ScanTunables& tunables, std::uint32_t creator_max_ms,
                               std::uint32_t creator_period_ms, std::uint32_t users) noexcept;

/// Hint faults of one thread since its clock last adapted, in pages.
struct WindowFaults {
    std::uint64_t local = 0;
    std::uint64_t remote = 0;
    std::uint64_t failed = 0;  ///< pages that should have been migrated and could not
    std::uint64_t shared = 0;  ///< last touched by another thread
    std::uint64_t priv = 0;    ///< first touched, or last touched by the same thread
};

/// WindowFaults being counted: written in the signal handler by one thread, read by whoever adapts the clock.
/// Lock-free.
class FaultWindow {
public:
    void count(bool is_local, bool is_private, std::uint64_t pages) noexcept;
    void count_failed(std::uint64_t pages) noexcept;
    [[nodiscard]] WindowFaults read() const noexcept;
    /// Takes away what `counted` has; faults that came in between stay.
    void subtract(const WindowFaults& counted) noexcept;

private:
    std::atomic<std::uint64_t> local_{0};
    std::atomic<std::uint64_t> remote_{0};
    std::atomic<std::uint64_t> failed_{0};
    std::atomic<std::uint64_t> shared_{0};
    std::atomic<std::uint64_t> private_{0};
};

enum class ScanClaim {
    too_early,  ///< the interval of the last scan is not over
    lost,       ///< another thread took it at the same moment
    won,        ///< this thread scans, and nobody else before its period is over
};

/// The one clock of an address space. Lock-free; of a child after fork: make a new one.
class AddressSpaceClock {
public:
    /// `period_ms` of the claiming thread becomes the interval. The first claim of all only starts the clock: the first
    /// scan is `delay_ms` later.
    ScanClaim claim(std::uint64_t now_ns, std::uint32_t period_ms, std::uint32_t delay_ms) noexcept;
    /// No scan before now + period.
    void postpone(std::uint64_t now_ns, std::uint32_t period_ms) noexcept;
    /// The first thread is created in a process of one thread: the passes start anew.
    void restart(std::uint64_t now_ns, std::uint32_t delay_ms) noexcept;

    /// Passes over all armable memory so far.
    [[nodiscard]] std::uint32_t scan_seq() const noexcept { return scan_seq_.load(std::memory_order_relaxed); }
    void pass_completed() noexcept { scan_seq_.fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t next_scan_ns() const noexcept { return next_scan_ns_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> next_scan_ns_{0};  ///< 0: never claimed
    std::atomic<std::uint32_t> scan_seq_{0};
};

/// One thread's clock. Not shared: whoever ticks it, adapts it.
class ScanClock {
public:
    /// Of the thread a process starts with.
    explicit ScanClock(const ScanTunables& tunables) noexcept : period_ms_(tunables.delay_ms) {}

    /// Of a thread that `creator` creates. `users`: threads of the address space, the new one not counted; when there
    /// is only the creator, the caller also calls AddressSpaceClock::restart().
    static ScanClock of_new_thread(const ScanTunables& tunables, const ScanClock& creator, std::uint64_t resident_bytes,
                                   std::uint32_t users, std::uint32_t scan_seq) noexcept;

    /// True when the thread has used a period's CPU time since the last time it said so: now it may claim a scan, and
    /// has lost its turn if it does not get it.
    bool tick(const ScanTunables& tunables, std::uint64_t cpu_time_ns, std::uint64_t resident_bytes) noexcept;

    /// It won: two ticks later than its period, so that another thread is likely to win next.
    void scan_begins(const ScanTunables& tunables) noexcept { stamp_ns_ += 2 * tunables.tick_ns; }
    /// What the scan cost in CPU time: the thread's next one is at least 32 times as far away.
    void charge(std::uint64_t cost_ns) noexcept { stamp_ns_ += 32 * cost_ns; }

    /// True once per completed pass.
    bool adaptation_due(std::uint32_t scan_seq) noexcept;

    /// More local or private faults: longer period; shared remote ones: shorter. Takes what it has considered out of
    /// `faults`, and holds the address space's next scan back when there is nothing to gain.
    void adapt(const ScanTunables& tunables, FaultWindow& faults, std::uint64_t resident_bytes,
               AddressSpaceClock& space, std::uint64_t now_ns) noexcept;

    /// The scheduler moved the thread to another node: start over with short periods.
    void changed_node(const ScanTunables& tunables, std::uint64_t resident_bytes) noexcept;

    [[nodiscard]] std::uint32_t period_ms() const noexcept { return period_ms_; }
    /// CPU time that the next period is counted from.
    [[nodiscard]] std::uint64_t stamp_ns() const noexcept { return stamp_ns_; }

private:
    std::uint64_t stamp_ns_ = 0;
    std::uint32_t period_ms_ = 0;
    std::uint32_t scan_seq_ = 0;
};

/// The new period in milliseconds after a window with these faults, and whether it was one with nothing to gain from
/// scanning (idle or failing). The pure part of ScanClock::adapt().
struct Adaptation {
    std::uint32_t period_ms = 0;
    bool nothing_to_gain = false;
};
Adaptation adapted_period(const ScanTunables& tunables, const ScanPeriods& periods, std::uint32_t period_ms,
                          const WindowFaults& faults) noexcept;

}  // namespace pinwise
