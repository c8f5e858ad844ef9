#pragma once
/// Lets a thread that is stopped before its first instruction run that instruction on a chosen CPU.

#include "placer/attach/outside_record.hpp"

namespace pinwise {

enum class Newcomer {
    thread,
    forked_process,  ///< the initial thread of a new process
    new_image,       ///< the initial thread of a process at the end of its exec
};

/// Puts the thread on the CPU of `birth`, or where the kernel has put it when the session does not place it, lets it
/// run and records it. A thread then has the affinity of --bind; a process still has the one it would have without us,
/// until ThreadPlacer::kept_mask() is applied to it.
void start_on_cpu(ThreadPlacer& placer, const RecordedThread& thread, const Birth& birth, Newcomer kind);

}  // namespace pinwise
