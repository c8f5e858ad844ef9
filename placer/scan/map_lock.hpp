#pragma once
/// Lock over what this process's armed memory is: between arming, hint faults and the program's own changes of its
/// address space.
///
/// Safe in a signal handler: while it is held all signals of the thread are blocked, and nobody who holds it touches
/// memory of the program, so that no holder can be interrupted by somebody who waits for it.

#include <atomic>
#include <cstdint>

namespace pinwise {

class MapMutex {
public:
    void lock() noexcept;
    void unlock() noexcept;
    /// In the child after fork: whoever held it is not here.
    void reset() noexcept { state_.store(0, std::memory_order_relaxed); }

private:
    std::atomic<std::uint32_t> state_{0};  ///< 0: free, 1: held, 2: held and somebody waits
};

class MapLock {
public:
    explicit MapLock(MapMutex& mutex) noexcept;
    ~MapLock();
    MapLock(const MapLock&) = delete;
    MapLock& operator=(const MapLock&) = delete;
    MapLock(MapLock&&) = delete;
    MapLock& operator=(MapLock&&) = delete;

private:
    MapMutex* mutex_;
    std::uint64_t saved_signals_ = 0;
};

/// Blocks every signal of the calling thread, also those that glibc keeps for itself; returns what was blocked before.
std::uint64_t block_all_signals() noexcept;
void restore_signals(std::uint64_t signals) noexcept;

}  // namespace pinwise
