#pragma once
/// Keeps the load honest: only runnable threads count. A sleeping helper thread takes no slot.

#include <cstdint>

#include "placer/agent/task_status.hpp"
#include "placer/agent/thread_table.hpp"

namespace pinwise {

/// Younger threads count at the CPU they were given without being looked at: most have not run yet.
inline constexpr std::int64_t young_thread_ns = 1'000'000;

using TaskReader = TaskStatus (*)(int pid, int tid);

/// Until this age a thread that is seen waiting keeps its place once: in its first moments it waits for its first
/// memory, a lock of the allocator or a barrier, and its CPU would be given away under it.
inline constexpr std::int64_t settled_thread_ns = 50'000'000;

/// Looks at every live thread older than young_thread_ns: runnable ones count where /proc says they run, waiting ones
/// do not count (before settled_thread_ns: when two looks in a row found them waiting), those gone end. The session's
/// lock must be held.
void refresh_load(ThreadTable& table, std::int64_t now_ns, TaskReader read = read_task_status);

/// Whether the last refresh is older than max(1 ms, 20 times what it cost), so that looking takes at most about 5 % of
/// the time however many threads there are.
bool refresh_is_due(const SessionHeader& header, std::int64_t now_ns);

/// refresh_load() when that is so, with its time and cost noted in the header.
void refresh_load_if_due(SessionHeader& header, ThreadTable& table, std::int64_t now_ns,
                         TaskReader read = read_task_status);

}  // namespace pinwise
