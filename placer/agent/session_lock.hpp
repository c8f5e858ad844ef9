#pragma once
/// The session's lock, held for one decision or one change of records at a time.
///
/// Robust: when a holder is killed the next one gets the lock and repairs the tables. Bounded: a holder that was
/// stopped (a debugger, a frozen cgroup) costs the others a limited wait, after which they go on without the session.

#include <csignal>
#include <cstdint>

#include <pthread.h>

#include "placer/agent/session_memory.hpp"

namespace pinwise {

/// All signals of this thread are blocked meanwhile: a handler that forks, jumps or takes long must not do so inside.
class SessionLock {
public:
    explicit SessionLock(SessionHeader& header);
    ~SessionLock();
    SessionLock(const SessionLock&) = delete;
    SessionLock& operator=(const SessionLock&) = delete;
    SessionLock(SessionLock&&) = delete;
    SessionLock& operator=(SessionLock&&) = delete;

    /// False: the lock could not be had in time; nothing of the session may be changed.
    [[nodiscard]] bool held() const { return held_; }
    /// True: the last holder died inside; the tables must be rebuilt before they are used.
    [[nodiscard]] bool last_holder_died() const { return last_holder_died_; }

private:
    pthread_mutex_t* mutex_;
    std::uint64_t saved_signals_ = 0;
    bool held_ = false;
    bool last_holder_died_ = false;
};

}  // namespace pinwise
