#pragma once
/// Somebody else in the agent who follows the life of the program's threads: page-migration scanning, where it was
/// asked for.

#include <array>
#include <cstdint>
#include <memory>

#include "placer/agent/session_memory.hpp"

namespace pinwise {

/// What a thread hands to one that it creates.
using Heritage = std::array<std::uint64_t, 2>;

class ThreadFollower {
public:
    virtual ~ThreadFollower() = default;
    /// In the creator, before the creation.
    virtual Heritage thread_to_come() noexcept = 0;
    /// In the new thread, before the program's code; `heritage` null: a process's first thread.
    virtual void thread_started(SharedRecord& record, const Heritage* heritage) noexcept = 0;
    /// In the thread, at its end.
    virtual void thread_ended() noexcept = 0;

    virtual void before_fork() noexcept = 0;
    virtual void after_fork_in_parent() noexcept = 0;
    virtual void after_fork_in_child() noexcept = 0;
};

/// Null: nobody follows. Each of the agent's two libraries has its own definition.
std::unique_ptr<ThreadFollower> make_thread_follower(const SessionMemory& memory);

}  // namespace pinwise
