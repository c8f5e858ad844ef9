// Signals: the program's action for SIGSEGV is remembered rather than given to the kernel, and SIGSEGV is never truly
// blocked (placer/scan/segv_mask.hpp).

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include "placer/agent/next_definition.hpp"
#include "placer/agent/program_memory.hpp"
#include "placer/scan/fault_handler.hpp"
#include "placer/scan/scan_agent.hpp"
#include "placer/scan/segv_mask.hpp"

namespace pinwise {

namespace {

using SignalHandler = void (*)(int);
using SetHandler = SignalHandler (*)(int, SignalHandler);
using SetMask = int (*)(int, const sigset_t*, sigset_t*);
using Suspend = int (*)(const sigset_t*);
using Poll = int (*)(pollfd*, nfds_t, const timespec*, const sigset_t*);
using Select = int (*)(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*);
using EpollWait = int (*)(int, epoll_event*, int, int, const sigset_t*);
using EpollWaitTimespec = int (*)(int, epoll_event*, int, const timespec*, const sigset_t*);
using SetStack = int (*)(const stack_t*, stack_t*);

bool scans() {
    return ScanAgent::current() != nullptr;
}

/// As the kernel gets it; null stays null.
class KernelMask {
public:
    explicit KernelMask(const sigset_t* mask) : given_(mask) {
        if (mask != nullptr) translated_ = scans() ? to_kernel_mask(*mask) : *mask;
    }
    [[nodiscard]] const sigset_t* get() const { return given_ == nullptr ? nullptr : &translated_; }

private:
    const sigset_t* given_;
    sigset_t translated_{};
};

int set_mask(SetMask real, int how, const sigset_t* set, sigset_t* old) {
    if (!scans()) return real(how, set, old);
    KernelMask wanted(set);
    sigset_t translated{};
    if (set != nullptr) {
        translated = *wanted.get();
        // Blocked indeed: sent while the program blocked it (FaultHandler).
        if (how == SIG_UNBLOCK && sigismember(set, SIGSEGV) == 1) sigaddset(&translated, SIGSEGV);
    }
    const int result = real(how, set == nullptr ? nullptr : &translated, old);
    if (result == 0 && old != nullptr) *old = to_program_mask(*old);
    return result;
}

int set_action(int signal, const struct sigaction* wanted, struct sigaction* previous) {
    ScanAgent* agent = ScanAgent::current();
    if (agent == nullptr) return kernel_sigaction(signal, wanted, previous);
    if (signal == SIGSEGV) return agent->handler().program_sets_action(wanted, previous);
    struct sigaction translated {};
    if (wanted != nullptr) {
        translated = *wanted;
        translated.sa_mask = to_kernel_mask(wanted->sa_mask);
    }
    const int result = kernel_sigaction(signal, wanted == nullptr ? nullptr : &translated, previous);
    if (result == 0 && previous != nullptr) previous->sa_mask = to_program_mask(previous->sa_mask);
    return result;
}

/// signal() and its relatives, for SIGSEGV.
SignalHandler set_handler(SignalHandler handler, int flags) {
    struct sigaction wanted {};
    struct sigaction previous {};
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    return set_action(SIGSEGV, &wanted, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}

SignalHandler set_handler_in(const char* name, std::atomic<SetHandler>& cache, int signal, SignalHandler handler,
                             int flags) {
    if (signal == SIGSEGV && scans()) return set_handler(handler, flags);
    return next_definition(name, cache)(signal, handler);
}

constexpr int bsd_flags = SA_RESTART;
constexpr int system_v_flags =
    static_cast<int>(static_cast<unsigned>(SA_RESETHAND) | static_cast<unsigned>(SA_NODEFER));

}  // namespace

}  // namespace pinwise

extern "C" {

[[gnu::visibility("default")]] int sigaction(int signal, const struct sigaction* wanted,
                                             struct sigaction* previous) noexcept {
    return pinwise::set_action(signal, wanted, previous);
}

[[gnu::visibility("default")]] pinwise::SignalHandler signal(int number, pinwise::SignalHandler handler) noexcept {
    static std::atomic<pinwise::SetHandler> cache{nullptr};
    return pinwise::set_handler_in("signal", cache, number, handler, pinwise::bsd_flags);
}

[[gnu::visibility("default")]] pinwise::SignalHandler bsd_signal(int number, pinwise::SignalHandler handler) noexcept {
    static std::atomic<pinwise::SetHandler> cache{nullptr};
    return pinwise::set_handler_in("signal", cache, number, handler, pinwise::bsd_flags);
}

[[gnu::visibility("default")]] pinwise::SignalHandler ssignal(int number, pinwise::SignalHandler handler) noexcept {
    static std::atomic<pinwise::SetHandler> cache{nullptr};
    return pinwise::set_handler_in("signal", cache, number, handler, pinwise::bsd_flags);
}

[[gnu::visibility("default")]] pinwise::SignalHandler sysv_signal(int number, pinwise::SignalHandler handler) noexcept {
    static std::atomic<pinwise::SetHandler> cache{nullptr};
    return pinwise::set_handler_in("sysv_signal", cache, number, handler, pinwise::system_v_flags);
}

// What signal() is with -D_XOPEN_SOURCE and the like.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
[[gnu::visibility("default")]] pinwise::SignalHandler __sysv_signal(int number,
                                                                    pinwise::SignalHandler handler) noexcept {
    static std::atomic<pinwise::SetHandler> cache{nullptr};
    return pinwise::set_handler_in("sysv_signal", cache, number, handler, pinwise::system_v_flags);
}

[[gnu::visibility("default")]] int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
    static std::atomic<pinwise::SetMask> cache{nullptr};
    return pinwise::set_mask(pinwise::next_definition("sigprocmask", cache), how, set, old);
}

[[gnu::visibility("default")]] int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
    static std::atomic<pinwise::SetMask> cache{nullptr};
    return pinwise::set_mask(pinwise::next_definition("pthread_sigmask", cache), how, set, old);
}

[[gnu::visibility("default")]] int sigsuspend(const sigset_t* mask) {
    static std::atomic<pinwise::Suspend> cache{nullptr};
    const pinwise::KernelMask wanted(mask);
    return pinwise::next_definition("sigsuspend", cache)(wanted.get());
}

[[gnu::visibility("default")]] int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
    static std::atomic<pinwise::Poll> cache{nullptr};
    const pinwise::KernelMask wanted(mask);
    return pinwise::next_definition("ppoll", cache)(files, count, timeout, wanted.get());
}

[[gnu::visibility("default")]] int pselect(int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
                                           const timespec* timeout, const sigset_t* mask) {
    static std::atomic<pinwise::Select> cache{nullptr};
    const pinwise::KernelMask wanted(mask);
    return pinwise::next_definition("pselect", cache)(count, readable, writable, exceptional, timeout, wanted.get());
}

[[gnu::visibility("default")]] int epoll_pwait(int epoll, epoll_event* events, int count, int timeout,
                                               const sigset_t* mask) {
    static std::atomic<pinwise::EpollWait> cache{nullptr};
    const pinwise::KernelMask wanted(mask);
    return pinwise::next_definition("epoll_pwait", cache)(epoll, events, count, timeout, wanted.get());
}

[[gnu::visibility("default")]] int epoll_pwait2(int epoll, epoll_event* events, int count, const timespec* timeout,
                                                const sigset_t* mask) {
    static std::atomic<pinwise::EpollWaitTimespec> cache{nullptr};
    const pinwise::KernelMask wanted(mask);
    return pinwise::next_definition("epoll_pwait2", cache)(epoll, events, count, timeout, wanted.get());
}

/// The kernel writes a handler's frame to it, and would kill the thread if it could not.
[[gnu::visibility("default")]] int sigaltstack(const stack_t* wanted, stack_t* previous) noexcept {
    static std::atomic<pinwise::SetStack> cache{nullptr};
    if (wanted != nullptr && (wanted->ss_flags & SS_DISABLE) == 0) pinwise::memory_goes(wanted->ss_sp, wanted->ss_size);
    return pinwise::next_definition("sigaltstack", cache)(wanted, previous);
}
}
