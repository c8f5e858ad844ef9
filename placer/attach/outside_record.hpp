#pragma once
/// What a tracer writes into the session's records of threads that it has stopped: the same as the agent writes from
/// inside the thread. A record whose slot belongs to another thread by now is left alone.

#include <cstdint>

#include <sys/types.h>

#include "placer/agent/cpu_mask.hpp"
#include "placer/agent/task_status.hpp"
#include "placer/agent/thread_placer.hpp"

namespace pinwise {

/// A thread and its record.
struct RecordedThread {
    RecordSlot slot = 0;
    pid_t pid = 0;
    pid_t tid = 0;
};

/// How a thread starts: before it is let run on.
struct Start {
    TaskStatus status;                     ///< as the kernel made it
    CpuMask got;                           ///< its affinity, as read back
    int first_cpu = -1;                    ///< where it will run its first instruction
    bool certain = false;                  ///< it can run nowhere else at first
    std::int64_t migrations_at_birth = 0;  ///< with the move to first_cpu; -1: not to be counted
};

/// The program itself has set the affinity of a thread about to start: it is not placed.
void record_own_affinity(ThreadPlacer& placer, Birth& birth, const CpuMask& mask);
void record_start(ThreadPlacer& placer, const RecordedThread& thread, const Start& start);
/// The session has given the thread this affinity.
void record_given(ThreadPlacer& placer, const RecordedThread& thread, const CpuMask& mask);
/// Whether its affinity still is what the session gave it.
bool has_given_mask(ThreadPlacer& placer, const RecordedThread& thread);
/// The thread has a new program: its name.
void record_exec(ThreadPlacer& placer, const RecordedThread& thread);
/// The thread is about to end, and still there to be looked at. It is load no more.
void record_leaving(ThreadPlacer& placer, const RecordedThread& thread);
void record_end(ThreadPlacer& placer, const RecordedThread& thread, std::int64_t ended_ns);

}  // namespace pinwise
