#pragma once
/// One run of spin_threads as the kernel's tracepoints and the program itself tell it. Pure.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "placer/result.hpp"
#include "runner/sched_trace/trace_line.hpp"

namespace pinwise::lab {

/// All events of a trace file's text, whose clock has to be "mono".
/// Error: an event that cannot be read, or the trace says that events were lost.
Result<std::vector<SchedEvent>> parse_sched_events(std::string_view trace);

/// What spin_threads prints of a thread. The first one is the creator of the others.
struct SpinningThread {
    int tid = 0;
    std::int64_t started_ns = 0;  ///< CLOCK_MONOTONIC at the first statement of its routine
    int first_cpu = -1;           ///< CPU of that statement
    int last_cpu = -1;
};

/// Error: not what spin_threads prints.
Result<std::vector<SpinningThread>> parse_spinning_threads(std::string_view text);

/// Where the threads were at one moment of their lives, and what moved them afterwards.
struct InitialPlacement {
    std::vector<int> cpus;             ///< per thread
    int migrations = 0;                ///< moves to another CPU from then on
    std::int64_t stable_after_ns = 0;  ///< last of them, since the creator started; 0 without one
};

struct PlacementRun {
    InitialPlacement chosen;   ///< by the kernel for new threads (sched_wakeup_new); the creator is where it started
    InitialPlacement started;  ///< at the first statement of the program in each thread
};

/// Error: a thread that the trace does not know.
Result<PlacementRun> placement_run(std::span<const SchedEvent> events, std::span<const SpinningThread> threads);

}  // namespace pinwise::lab
