#pragma once
/// First CPUs from the kernel's own mouth: the sched_wakeup_new tracepoint, in a tracefs instance of our own.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/agent/thread_record.hpp"
#include "placer/result.hpp"

namespace pinwise {

/// One new task and the CPU the scheduler chose for it.
struct WakeupNew {
    std::string comm;
    int pid = 0;  ///< of the new task (a tid)
    int target_cpu = 0;
};

/// The sched_wakeup_new events of a trace text, in its order; all other lines are skipped. Tolerates a missing task
/// prefix, annotations behind the event and names with blanks. Pure.
std::vector<WakeupNew> parse_sched_wakeup_new(std::string_view trace_text);

/// Replaces what a thread's own getcpu said by the tracepoint's target, for threads that were created (the initial
/// thread of a process is where exec left it) and that nothing more exact is known of. Pure.
void apply_wakeups(std::span<const WakeupNew> wakeups, std::vector<ThreadRecord>& threads);

/// A tracefs instance `pinwise-PID` that records sched_wakeup_new of this process's descendants only. Exists as long as
/// the object; instances of processes that were killed are removed by the next one. Other users of tracing are
/// untouched.
class SchedTrace {
public:
    /// Errors (failures) say what is not permitted or not there: tracefs not mounted, not root, no such event.
    static Result<SchedTrace> open();
    SchedTrace(SchedTrace&&) noexcept;
    SchedTrace& operator=(SchedTrace&&) noexcept;
    SchedTrace(const SchedTrace&) = delete;
    SchedTrace& operator=(const SchedTrace&) = delete;
    ~SchedTrace();

    /// Forgets everything recorded so far: called before each trial.
    void clear();
    [[nodiscard]] std::vector<WakeupNew> read() const;

private:
    explicit SchedTrace(std::string folder) : folder_(std::move(folder)) {}
    [[nodiscard]] Result<void> enable() const;
    std::string folder_;  ///< empty: moved from
};

}  // namespace pinwise
