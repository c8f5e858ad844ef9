// Calls through syscall() as they matter for armed memory: the same as those of libc's functions.

#include <array>
#include <cstdint>

#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "placer/agent/program_memory.hpp"
#include "placer/agent/system_call_arguments.hpp"
#include "placer/scan/scan_agent.hpp"

namespace pinwise {

namespace {

const void* pointer(long argument) {
    return reinterpret_cast<const void*>(argument);  // NOLINT(performance-no-int-to-ptr)
}

std::size_t bytes(long argument) {
    return static_cast<std::size_t>(argument);
}

/// Memory whose mapping is to change in a way that is not followed: it is not armed from now on.
void forget_what_changes(long number, const SystemCallArguments& with) {
    switch (number) {
        case SYS_munmap:
        case SYS_mprotect:
        case SYS_pkey_mprotect:
        case SYS_madvise:
        case SYS_mlock:
        case SYS_mlock2:
        case SYS_mbind:  // the program's own wish of where it is to be
            return memory_goes(pointer(with.a), bytes(with.b));
        case SYS_mremap:
            memory_goes(pointer(with.a), bytes(with.b));
            if ((static_cast<unsigned long>(with.d) & MREMAP_FIXED) != 0) memory_goes(pointer(with.e), bytes(with.c));
            return;
        case SYS_mmap:
            if ((static_cast<unsigned long>(with.d) & MAP_FIXED) != 0) memory_goes(pointer(with.a), bytes(with.b));
            return;
        default:
            return;
    }
}

/// The kernel, or another process, is going to use the program's memory at times that nobody sees, or our own system
/// calls will not be allowed any more.
ScanState reason_to_stop(long number, const SystemCallArguments& with) {
    switch (number) {
        case SYS_io_uring_setup:
        case SYS_userfaultfd:
            return ScanState::kernel_io;
        case SYS_mlockall:
            return ScanState::memory_locked;
        case SYS_prctl:
            return with.a == PR_SET_SECCOMP ? ScanState::sandboxed : ScanState::scanning;
        case SYS_seccomp:
            return with.a <= SECCOMP_SET_MODE_FILTER ? ScanState::sandboxed : ScanState::scanning;
        default:
            return ScanState::scanning;
    }
}

bool is_fork(long number, const SystemCallArguments& with) {
    constexpr unsigned long shares_memory = 0x100;  // CLONE_VM
#ifdef SYS_fork
    if (number == SYS_fork) return true;
#endif
    return number == SYS_clone && (static_cast<unsigned long>(with.a) & shares_memory) == 0;
}

long fork_with(ScanAgent& agent, long number, const SystemCallArguments& with, MakeSystemCall make) {
    agent.before_fork();
    const long result = make(number, with);
    if (result == 0) {
        agent.after_fork_in_child();
    } else {
        agent.after_fork_in_parent();
    }
    return result;
}

}  // namespace

long watched_system_call(long number, const SystemCallArguments& with, MakeSystemCall make) {
    ScanAgent* agent = ScanAgent::current();
    if (agent == nullptr) return make(number, with);
    if (const ScanState reason = reason_to_stop(number, with); reason != ScanState::scanning) agent->stop(reason);
    if (is_fork(number, with)) return fork_with(*agent, number, with, make);
    forget_what_changes(number, with);
    // Nobody knows how much of it the call will use, so all that an argument may point into is open meanwhile.
    const HeldMemory a(scanned_from(pointer(with.a)));
    const HeldMemory b(scanned_from(pointer(with.b)));
    const HeldMemory c(scanned_from(pointer(with.c)));
    const HeldMemory d(scanned_from(pointer(with.d)));
    const HeldMemory e(scanned_from(pointer(with.e)));
    const HeldMemory f(scanned_from(pointer(with.f)));
    return make(number, with);
}

}  // namespace pinwise
