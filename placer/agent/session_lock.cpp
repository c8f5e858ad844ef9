#include "placer/agent/session_lock.hpp"

#include <atomic>
#include <cerrno>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

namespace pinwise {

namespace {

constexpr std::int64_t patient_wait_ns = 1'000'000'000;
constexpr std::int64_t impatient_wait_ns = 20'000'000;  // a few time slices: it may just be preempted

// A stopped holder is waited for at length once, not at every thread of this process.
std::atomic<bool> waited_in_vain{false};

// ThreadSanitizer of gcc 12 does not know pthread_mutex_clocklock and would take every wait for a missing lock.
#ifdef __SANITIZE_THREAD__
constexpr clockid_t wait_clock = CLOCK_REALTIME;
int wait_for_lock(pthread_mutex_t* mutex, const timespec& deadline) {
    return pthread_mutex_timedlock(mutex, &deadline);
}
#else
constexpr clockid_t wait_clock = CLOCK_MONOTONIC;
int wait_for_lock(pthread_mutex_t* mutex, const timespec& deadline) {
    return pthread_mutex_clocklock(mutex, wait_clock, &deadline);
}
#endif

timespec deadline_after(std::int64_t wait_ns) {
    timespec now{};
    clock_gettime(wait_clock, &now);
    const std::int64_t total_ns = now.tv_nsec + wait_ns;
    return {now.tv_sec + total_ns / 1'000'000'000, total_ns % 1'000'000'000};
}

// The raw call also blocks the signals glibc keeps for itself, thread cancellation among them.
std::uint64_t change_signals(int how, std::uint64_t signals) {
    std::uint64_t previous = 0;
    syscall(SYS_rt_sigprocmask, how, &signals, &previous, sizeof(signals));
    return previous;
}

int lock_within_reason(pthread_mutex_t* mutex) {
    const int at_once = pthread_mutex_trylock(mutex);
    if (at_once != EBUSY) return at_once;
    const timespec deadline =
        deadline_after(waited_in_vain.load(std::memory_order_relaxed) ? impatient_wait_ns : patient_wait_ns);
    const int result = wait_for_lock(mutex, deadline);
    waited_in_vain.store(result == ETIMEDOUT, std::memory_order_relaxed);
    return result;
}

}  // namespace

SessionLock::SessionLock(SessionHeader& header)
    : mutex_(&header.mutex), saved_signals_(change_signals(SIG_SETMASK, ~std::uint64_t{0})) {
    const int result = lock_within_reason(mutex_);
    last_holder_died_ = result == EOWNERDEAD;
    if (last_holder_died_) pthread_mutex_consistent(mutex_);
    held_ = result == 0 || last_holder_died_;
}

SessionLock::~SessionLock() {
    if (held_) pthread_mutex_unlock(mutex_);
    change_signals(SIG_SETMASK, saved_signals_);
}

}  // namespace pinwise
