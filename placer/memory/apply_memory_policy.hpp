#pragma once
/// Gives a memory policy to the calling task, and says what the kernel made of it.

#include <string>

#include "placer/memory/memory_policy.hpp"

namespace pinwise {

/// How it went. Plain data, because a child tells it to its parent.
struct MemoryAnswer {
    enum class Step {
        applied,     ///< and read back with get_mempolicy
        refused,     ///< set_mempolicy failed with `error`
        unverified,  ///< get_mempolicy failed with `error`: what is in force is not known
        differs,     ///< get_mempolicy tells of another policy
    };
    Step step = Step::applied;
    int error = 0;  ///< errno
    MemoryMode mode = MemoryMode::first_touch;
};

/// `policy` as resolve_memory_policy() returns it. Allocates nothing: it runs between fork and exec. first_touch, where
/// it is not in force already, is set too: a caller may have passed on another policy.
MemoryAnswer apply_memory_policy(const MemoryPolicy& policy);

/// A named state: "ok", "denied(EPERM)", "unsupported(ENOSYS)", "refused(ENOMEM)", "unverified(EPERM)", "differs".
std::string to_string(const MemoryAnswer& answer);

/// "set_mempolicy: Operation not permitted", for a warning; empty for applied.
std::string explain(const MemoryAnswer& answer);

}  // namespace pinwise
