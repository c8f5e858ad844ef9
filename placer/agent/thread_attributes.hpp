#pragma once
/// The caller's thread attributes with one more: the affinity to start with. The caller's own object is never changed.

#include <optional>

#include <pthread.h>

#include "placer/agent/cpu_mask.hpp"

namespace pinwise {

/// The affinity the caller set in its attributes (null: the process's default ones); nothing where it set none.
std::optional<CpuMask> explicit_affinity(const pthread_attr_t* attributes);

/// A copy of `caller` (null: of the process's default attributes) with an affinity: detach state, guard, stack,
/// scheduling policy, priority and inheritance, scope and signal mask are the caller's.
class ThreadAttributes {
public:
    ThreadAttributes(const pthread_attr_t* caller, const CpuMask& affinity);
    ~ThreadAttributes();
    ThreadAttributes(const ThreadAttributes&) = delete;
    ThreadAttributes& operator=(const ThreadAttributes&) = delete;
    ThreadAttributes(ThreadAttributes&&) = delete;
    ThreadAttributes& operator=(ThreadAttributes&&) = delete;

    /// Null when something could not be copied: the caller's attributes must then be used as they are.
    [[nodiscard]] const pthread_attr_t* get() const { return complete_ ? &attributes_ : nullptr; }

private:
    pthread_attr_t attributes_{};
    bool initialised_ = false;
    bool complete_ = false;
};

}  // namespace pinwise
