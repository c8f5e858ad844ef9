// SIGSEGVs that somebody sends, in a process of their own: each ends with it.

#include "placer/scan/fault_handler.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "placer/scan/segv_mask.hpp"

namespace pinwise {
namespace {

volatile std::sig_atomic_t caught = 0;

void catches(int /*signal*/) {
    caught = caught + 1;
}

/// A timer of ours that goes off in the worst moment: while the program's signal is put back.
class UntimelyTimer final : public FaultListener {
public:
    void serve(FaultHandler& handler) { handler_ = &handler; }
    void hint_fault(const void* /*address*/, const Opening& /*opening*/) noexcept override {}
    void timer_expired() noexcept override {}
    void stop_timer() noexcept override {}
    void passed_on() noexcept override {}
    void must_stop() noexcept override {
        siginfo_t info{};
        info.si_signo = SIGSEGV;
        info.si_code = SI_TIMER;
        info.si_value.sival_ptr = handler_->timer_value();
        syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGSEGV, &info);
    }

private:
    FaultHandler* handler_ = nullptr;
};

/// How often the program's handler is called for a SIGSEGV that it sends itself while it blocks it.
int times_caught() {
    static ArmedTable table(64U << 10);
    static UntimelyTimer timer;
    static FaultHandler handler(table, timer);
    timer.serve(handler);
    if (!handler.install()) return -1;
    struct sigaction action {};
    action.sa_handler = catches;
    handler.program_sets_action(&action, nullptr);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, stand_in_for_segv);
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
    raise(SIGSEGV);
    if (caught != 0) return -1;
    sigaddset(&blocked, SIGSEGV);
    sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
    return caught;
}

TEST(FaultHandlerDeathTest, TimerDoesNotSwallowASegvThatWaits) {
    EXPECT_EXIT(_exit(times_caught()), testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace pinwise
