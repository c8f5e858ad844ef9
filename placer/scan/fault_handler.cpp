#include "placer/scan/fault_handler.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "placer/agent/next_definition.hpp"
#include "placer/scan/segv_mask.hpp"

namespace pinwise {

namespace {

FaultHandler* the_handler = nullptr;

/// ArmedTable::epoch() when this thread last came back to a faulting instruction.
[[gnu::tls_model("initial-exec")]] thread_local constinit std::uint64_t tried_at_epoch = 0;

pid_t own_pid() {
    return static_cast<pid_t>(syscall(SYS_getpid));
}

/// Sent by somebody, rather than the fault of an instruction.
bool was_sent(const siginfo_t& info) {
    return info.si_code <= 0;
}

constexpr std::uint64_t bit_of(int signal) {
    return std::uint64_t{1} << static_cast<unsigned>(signal - 1);
}

std::uint64_t current_signals() {
    std::uint64_t mask = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &mask, sizeof(mask));
    return mask;
}

bool is_function(const struct sigaction& action) {
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

}  // namespace

int kernel_sigaction(int signal, const struct sigaction* wanted, struct sigaction* previous) noexcept {
    static std::atomic<int (*)(int, const struct sigaction*, struct sigaction*)> cache{nullptr};
    return next_definition("sigaction", cache)(signal, wanted, previous);
}

bool FaultHandler::install() noexcept {
    the_handler = this;
    owner_ = own_pid();
    // Inherited: a caller may have blocked it.
    const std::uint64_t mask = current_signals();
    if ((mask & bit_of(SIGSEGV)) != 0) restore_signals((mask & ~bit_of(SIGSEGV)) | bit_of(stand_in_for_segv));
    if (kernel_sigaction(SIGSEGV, nullptr, &program_action_) != 0) return false;
    const struct sigaction ours = for_kernel();
    return kernel_sigaction(SIGSEGV, &ours, nullptr) == 0;
}

struct sigaction FaultHandler::for_kernel() const noexcept {
    struct sigaction action {};
    action.sa_sigaction = &FaultHandler::handle;
    action.sa_flags = SA_SIGINFO;
    std::memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));  // those that glibc keeps for itself, too
    if (!is_function(program_action_)) {
        action.sa_flags |= SA_ONSTACK | SA_RESTART;
        return action;
    }
    action.sa_flags |= program_action_.sa_flags & (SA_ONSTACK | SA_RESTART);
    return action;
}

int FaultHandler::program_sets_action(const struct sigaction* wanted, struct sigaction* previous) noexcept {
    // Copies first: the program's memory is not touched under the lock.
    const struct sigaction copy = wanted != nullptr ? *wanted : (struct sigaction){};
    struct sigaction before {};
    {
        const MapLock lock(mutex_);
        before = program_action_;
        // The child of a vfork is about to exec: what it sets is not to be its parent's, and exec resets it.
        if (wanted != nullptr && is_own_process()) {
            program_action_ = copy;
            const struct sigaction ours = for_kernel();
            kernel_sigaction(SIGSEGV, &ours, nullptr);
        }
    }
    if (previous != nullptr) *previous = before;
    return 0;
}

bool FaultHandler::is_own_process() const noexcept {
    return own_pid() == owner_;
}

void FaultHandler::before_exec() noexcept {
    if (!is_own_process()) return;
    const std::uint64_t mask = current_signals();
    if ((mask & bit_of(stand_in_for_segv)) != 0) restore_signals((mask & ~bit_of(stand_in_for_segv)) | bit_of(SIGSEGV));
    const MapLock lock(mutex_);
    if (program_action_.sa_handler != SIG_IGN) return;
    const struct sigaction ignore = program_action_;
    kernel_sigaction(SIGSEGV, &ignore, nullptr);
}

void FaultHandler::exec_failed() noexcept {
    if (!is_own_process()) return;
    {
        const MapLock lock(mutex_);
        const struct sigaction ours = for_kernel();
        kernel_sigaction(SIGSEGV, &ours, nullptr);
    }
    const std::uint64_t mask = current_signals();
    if ((mask & bit_of(SIGSEGV)) != 0) restore_signals((mask & ~bit_of(SIGSEGV)) | bit_of(stand_in_for_segv));
}

void FaultHandler::after_fork_in_child() noexcept {
    mutex_.reset();
    owner_ = own_pid();
}

/// The action for one signal: with SA_RESETHAND it is the default afterwards.
struct sigaction FaultHandler::take_action() noexcept {
    const MapLock lock(mutex_);
    struct sigaction action = program_action_;
    if (is_function(action) && (static_cast<unsigned>(action.sa_flags) & static_cast<unsigned>(SA_RESETHAND)) != 0) {
        program_action_.sa_handler = SIG_DFL;
        const struct sigaction ours = for_kernel();
        kernel_sigaction(SIGSEGV, &ours, nullptr);
    }
    return action;
}

void FaultHandler::handle(int /*signal*/, siginfo_t* info, void* context) {
    the_handler->handle(*info, *static_cast<ucontext_t*>(context));
}

void FaultHandler::handle(siginfo_t& info, ucontext_t& context) noexcept {
    const int saved_errno = errno;
    if (info.si_code == SI_TIMER && info.si_value.sival_ptr == timer_value()) {
        listener_->timer_expired();
        errno = saved_errno;
        return;
    }
    const bool ours = is_hint_fault(info);
    errno = saved_errno;
    if (!ours) pass_on(info, context);
}

/// Also true for one whose reason is gone: another thread has opened the memory since, and the instruction is tried
/// again. When it faults again though nothing was opened meanwhile, it is the program's own fault.
bool FaultHandler::is_hint_fault(const siginfo_t& info) noexcept {
    if (info.si_code != SEGV_ACCERR) return false;
    const Opening opening = table_->open(reinterpret_cast<std::uintptr_t>(info.si_addr));
    const std::uint64_t epoch = table_->epoch();
    if (opening.was_armed) {
        listener_->hint_fault(info.si_addr, opening);
        tried_at_epoch = epoch;
        return true;
    }
    if (tried_at_epoch == epoch) return false;
    tried_at_epoch = epoch;
    return true;
}

void FaultHandler::pass_on(siginfo_t& info, ucontext_t& context) noexcept {
    listener_->passed_on();
    const bool blocked = sigismember(&context.uc_sigmask, stand_in_for_segv) == 1;
    if (blocked && was_sent(info)) return leave_pending(info, context);
    if (blocked) return die(info);
    const struct sigaction action = take_action();
    if (action.sa_handler == SIG_IGN && was_sent(info)) return;
    if (!is_function(action)) return die(info);
    set_mask_of(action, context);
    // One that wants no SA_SIGINFO ignores the rest.
    action.sa_sigaction(SIGSEGV, &info, &context);
}

/// As the kernel does before it calls a handler.
void FaultHandler::set_mask_of(const struct sigaction& action, const ucontext_t& context) noexcept {
    sigset_t wanted = to_kernel_mask(action.sa_mask);
    sigorset(&wanted, &wanted, &context.uc_sigmask);
    if ((static_cast<unsigned>(action.sa_flags) & static_cast<unsigned>(SA_NODEFER)) == 0)
        sigaddset(&wanted, stand_in_for_segv);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &wanted, sizeof(bits));
    restore_signals(bits);
}

/// SIGSEGV waits once only: one of our timer that came meanwhile would swallow the program's.
void FaultHandler::send_again(const siginfo_t& info) noexcept {
    listener_->stop_timer();
    const std::uint64_t segv = bit_of(SIGSEGV);
    const timespec at_once{};
    siginfo_t waiting{};
    syscall(SYS_rt_sigtimedwait, &segv, &waiting, &at_once, sizeof(segv));
    syscall(SYS_rt_tgsigqueueinfo, own_pid(), syscall(SYS_gettid), SIGSEGV, &info);
}

/// Back to the faulting instruction, which now does what it does without us. What was sent is sent again, and comes
/// when our handler returns.
void FaultHandler::die(const siginfo_t& info) noexcept {
    const int saved_errno = errno;
    table_->stop();
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    kernel_sigaction(SIGSEGV, &action, nullptr);
    if (was_sent(info)) send_again(info);
    errno = saved_errno;
}

/// A SIGSEGV that somebody sent while the program blocks it waits until it does not. From now on it is blocked indeed,
/// so nothing may be armed any more.
void FaultHandler::leave_pending(const siginfo_t& info, ucontext_t& context) noexcept {
    const int saved_errno = errno;
    table_->stop();
    listener_->must_stop();
    sigaddset(&context.uc_sigmask, SIGSEGV);
    send_again(info);
    errno = saved_errno;
}

}  // namespace pinwise
