#pragma once
/// From thread records to what the tables say about placement. Pure.

#include <span>
#include <vector>

#include "placer/agent/thread_record.hpp"
#include "placer/topology/machine.hpp"
#include "runner/sched_trace/trace_line.hpp"
#include "runner/trial/trial.hpp"
#include "runner/trial/workload_output.hpp"

namespace pinwise {

/// The threads the workload computes with. When it names them, those of `records` with such a tid; when none of them is
/// recorded (the agent could not follow the program), what the workload saw itself, with the means getcpu. When it
/// names none, all of `records`.
std::vector<ThreadRecord> worker_threads(std::vector<ThreadRecord> records, std::span<const WorkloadThread> named);

/// Replaces what a thread's own getcpu said by the target of its sched_wakeup_new, for threads that were created (the
/// initial thread of a process is where exec left it) and that nothing more exact is known of.
void apply_wakeups(std::span<const SchedEvent> events, std::vector<ThreadRecord>& threads);

/// `{a}{b}`, most threads on one CPU and LLCs used at the threads' first CPUs; migrations and affinity over all of
/// them. One thread without a first CPU leaves the three absent: a part of the threads would understate a pile-up.
PlacementFacts placement_facts(const Machine& machine, std::span<const ThreadRecord> threads);

}  // namespace pinwise
