#include "placer/scan/map_lock.hpp"

#include <csignal>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pinwise {

// Method: the three-state mutex of U. Drepper, "Futexes Are Tricky".
void MapMutex::lock() noexcept {
    std::uint32_t seen = 0;
    if (state_.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
    if (seen != 2) seen = state_.exchange(2, std::memory_order_acquire);
    while (seen != 0) {
        syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, 2, nullptr, nullptr, 0);
        seen = state_.exchange(2, std::memory_order_acquire);
    }
}

void MapMutex::unlock() noexcept {
    if (state_.exchange(0, std::memory_order_release) == 2)
        syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

std::uint64_t block_all_signals() noexcept {
    const std::uint64_t all = ~std::uint64_t{0};
    std::uint64_t previous = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &previous, sizeof(all));
    return previous;
}

void restore_signals(std::uint64_t signals) noexcept {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, nullptr, sizeof(signals));
}

MapLock::MapLock(MapMutex& mutex) noexcept : mutex_(&mutex), saved_signals_(block_all_signals()) {
    mutex_->lock();
}

MapLock::~MapLock() {
    mutex_->unlock();
    restore_signals(saved_signals_);
}

}  // namespace pinwise
