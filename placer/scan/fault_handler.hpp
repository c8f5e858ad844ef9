#pragma once
/// SIGSEGV in a program whose memory is armed: hint faults are ours, every other one is the program's and ends exactly
/// as without us, in its handler or with its death.
///
/// The program's own action is remembered, never given to the kernel. What it says of stack and restarts is given to
/// the kernel with our handler; its mask is set before its handler is called. All signals are blocked until then, so
/// that no other handler of the program can leave ours half-done by a jump.

#include <atomic>
#include <csignal>

#include <sys/types.h>

#include "placer/scan/armed_table.hpp"

namespace pinwise {

/// Told in the handler: only what is safe there.
class FaultListener {
public:
    virtual ~FaultListener() = default;
    /// A touch of armed memory, which is open again.
    virtual void hint_fault(const void* address, const Opening& opening) noexcept = 0;
    /// A timer made with FaultHandler::timer_value() went off in this thread.
    virtual void timer_expired() noexcept = 0;
    /// The calling thread's timer is not to go off again.
    virtual void stop_timer() noexcept = 0;
    /// A SIGSEGV that is the program's.
    virtual void passed_on() noexcept = 0;
    /// Scanning cannot go on without changing what the program sees: everything is open already.
    virtual void must_stop() noexcept = 0;
};

/// The one of this process; lives until its end.
class FaultHandler {
public:
    FaultHandler(ArmedTable& table, FaultListener& listener) noexcept : table_(&table), listener_(&listener) {}

    /// False: the kernel refused. The action there was is the program's from now on.
    bool install() noexcept;

    /// sigaction(SIGSEGV): as in sigaction(2), also in errno and result.
    int program_sets_action(const struct sigaction* wanted, struct sigaction* previous) noexcept;

    /// Around exec: what the program has of SIGSEGV (ignored, blocked) is what the new image inherits. In the child of
    /// a vfork nothing is done.
    void before_exec() noexcept;
    void exec_failed() noexcept;

    /// This is not the child of a vfork, which shares our memory.
    [[nodiscard]] bool is_own_process() const noexcept;

    /// In the child after fork.
    void after_fork_in_child() noexcept;

    /// What a timer of ours that sends SIGSEGV carries.
    void* timer_value() noexcept { return this; }

private:
    static void handle(int signal, siginfo_t* info, void* context);
    void handle(siginfo_t& info, ucontext_t& context) noexcept;
    bool is_hint_fault(const siginfo_t& info) noexcept;
    void pass_on(siginfo_t& info, ucontext_t& context) noexcept;
    static void set_mask_of(const struct sigaction& action, const ucontext_t& context) noexcept;
    void die(const siginfo_t& info) noexcept;
    void send_again(const siginfo_t& info) noexcept;
    void leave_pending(const siginfo_t& info, ucontext_t& context) noexcept;
    [[nodiscard]] struct sigaction for_kernel() const noexcept;
    struct sigaction take_action() noexcept;

    ArmedTable* table_;
    FaultListener* listener_;
    MapMutex mutex_;  ///< of program_action_
    struct sigaction program_action_ {};
    pid_t owner_ = 0;  ///< not the child of a vfork, which shares our memory
};

/// sigaction(2) itself, past what the program's calls go to.
int kernel_sigaction(int signal, const struct sigaction* wanted, struct sigaction* previous) noexcept;

}  // namespace pinwise
