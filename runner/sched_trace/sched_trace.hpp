#pragma once
/// sched_wakeup_new and sched_migrate_task of the running kernel, in a tracefs instance of our own.

#include <string>
#include <utility>
#include <vector>

#include "placer/agent/descriptor.hpp"
#include "placer/result.hpp"
#include "runner/sched_trace/trace_line.hpp"

namespace pinwise {

/// A tracefs instance `pinwise-PID`. Exists as long as the object; that of a process that is killed stops recording and
/// gives its memory back at once, and is removed by the next one. Other users of tracing are untouched. Its clock is
/// CLOCK_MONOTONIC.
class SchedTrace {
public:
    enum class Scope {
        new_threads_of_descendants,  ///< sched_wakeup_new of what this process and its children create; a small buffer
        everything,  ///< both events of the whole system: the kernel cannot tell whose migration another CPU makes
    };

    /// Errors (failures) say what is not permitted or not there: tracefs not mounted, not root, no such event, a
    /// PID namespace.
    static Result<SchedTrace> open(Scope scope);
    SchedTrace(SchedTrace&& other) noexcept
        : folder_(std::exchange(other.folder_, {})), freed_with_us_(std::move(other.freed_with_us_)) {}
    SchedTrace& operator=(SchedTrace&& other) noexcept;
    SchedTrace(const SchedTrace&) = delete;
    SchedTrace& operator=(const SchedTrace&) = delete;
    ~SchedTrace();

    /// Forgets everything recorded so far: called before each trial.
    void clear();
    /// The new threads recorded so far; none where the kernel's text cannot be read.
    [[nodiscard]] std::vector<SchedEvent> read() const;

    /// No more events from now on.
    void stop() const;
    /// The text that empties the buffer as it is read, without waiting for more. Close it before the object goes.
    [[nodiscard]] std::string pipe_file() const { return folder_ + "/trace_pipe"; }

private:
    explicit SchedTrace(std::string folder) : folder_(std::move(folder)) {}
    [[nodiscard]] Result<void> enable(Scope scope);
    std::string folder_;        ///< empty: moved from
    Descriptor freed_with_us_;  ///< when the kernel closes it, recording stops and the buffers are freed
};

}  // namespace pinwise
