#pragma once
/// Signal masks in which SIGSEGV is never blocked, though the program may believe it is.
///
/// A thread that touches armed memory while SIGSEGV is blocked is killed by the kernel, so it must not be blocked. That
/// the program wants it so is kept in the kernel's mask all the same, in the place of SIGSTKFLT (which Linux has never
/// sent): so everything that saves, restores and inherits masks (sigsetjmp, contexts, sa_mask, fork, new threads) keeps
/// it right without our help. A program that blocks SIGSTKFLT alone does not see it blocked.

#include <csignal>

namespace pinwise {

inline constexpr int stand_in_for_segv = SIGSTKFLT;

/// As the kernel gets it.
inline sigset_t to_kernel_mask(sigset_t mask) {
    const bool blocks = sigismember(&mask, SIGSEGV) == 1;
    sigdelset(&mask, SIGSEGV);
    if (blocks) {
        sigaddset(&mask, stand_in_for_segv);
    } else {
        sigdelset(&mask, stand_in_for_segv);
    }
    return mask;
}

/// As the program sees it.
inline sigset_t to_program_mask(sigset_t mask) {
    if (sigismember(&mask, stand_in_for_segv) == 1) {
        sigaddset(&mask, SIGSEGV);
        sigdelset(&mask, stand_in_for_segv);
    }
    return mask;
}

}  // namespace pinwise
