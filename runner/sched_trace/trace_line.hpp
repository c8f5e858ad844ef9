#pragma once
/// One line of a scheduler trace: the text of ftrace (trace, trace_pipe), of `trace-cmd report` and of `perf script`,
/// and excerpts of them as people mail them. The only place that knows these formats. Pure.
///
///     stream-5045  [032] d..2.  167.914699: sched_wakeup_new: comm=stream pid=5047 prio=120 target_cpu=048   ftrace
///     stream-5045  [032]        167.914699: sched_wakeup_new:     stream:5047 [120] CPU:048                  trace-cmd
///     stream  5045 [032]        167.914699: sched:sched_wakeup_new: comm=stream pid=5047 ...                 perf
///     script 167.928338: sched_migrate_task: comm=stream pid=5050 prio=120 orig_cpu=32 dest_cpu=48 START - {8}{0}
///     excerpt
///
/// The prefix may have a thread group (`(  5045)`), flags, ftrace's latency format (`stream-5045 32d..2. 1769us+:`), a
/// period (perf), quotation marks (`> `) or nothing but the time. What follows the last field is a remark.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pinwise {

struct SchedEvent {
    enum class Kind {
        new_thread,  ///< sched_wakeup_new: the kernel chose the first CPU of a new thread
        migration,   ///< sched_migrate_task: the kernel gave a thread another CPU (or the same one)
    };
    Kind kind = Kind::new_thread;
    std::int64_t time_ns = 0;  ///< of the trace's clock
    int tid = 0;               ///< of the thread that is new or moves; the kernel's pid field
    std::string comm;          ///< its name; a new thread has its creator's
    int from_cpu = -1;         ///< orig_cpu of a migration
    int cpu = -1;              ///< target_cpu or dest_cpu
    int running_tid = -1;      ///< who ran when it happened, the creator of a new thread; -1: the line does not say
    int running_cpu = -1;      ///< the CPU it happened on, the creator's; -1: the line does not say
    std::vector<int> stated_counts;  ///< threads per node that a remark "{4}{4}" states
};

/// The tracer says that it could not keep everything.
struct LostEvents {
    std::optional<std::int64_t> count;  ///< absent: it does not know how many
};

/// "... 9 migrations": left out by hand.
struct ElidedMigrations {
    std::int64_t count = 0;
};

/// One of our events that cannot be read.
struct UnreadableLine {
    std::string reason;
};

/// monostate: any other line.
using TraceLine = std::variant<std::monostate, SchedEvent, LostEvents, ElidedMigrations, UnreadableLine>;

/// `line` without its end.
TraceLine parse_trace_line(std::string_view line);

}  // namespace pinwise
