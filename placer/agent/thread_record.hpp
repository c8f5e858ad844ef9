#pragma once
/// What is known of one thread of a session: what was asked, what the kernel gave, where it was last seen.

#include <cstdint>
#include <string>
#include <string_view>

namespace pinwise {

/// How a thread's first CPU became known; each later means is less exact than the one before it.
enum class FirstCpuMeans : std::uint32_t {
    unknown,
    agent,       ///< the agent put it there before its first instruction
    tracepoint,  ///< target_cpu of sched_wakeup_new
    getcpu,      ///< the thread's own first getcpu: comes late and understates pile-ups
};

std::string_view to_string(FirstCpuMeans means);

/// One thread (or the initial thread of one process), in order of creation over the whole session.
struct ThreadRecord {
    int index = 0;  ///< order of creation, 0 = the initial thread of the first process
    int pid = 0;
    int tid = 0;
    std::string name;    ///< comm, at most 15 characters
    int asked_cpu = -1;  ///< -1: nothing was asked (policy os)
    int got_count = 0;   ///< CPUs in the affinity read back at birth; 0: could not be read
    int got_cpu = -1;    ///< its first CPU: equals asked_cpu when the kernel obeyed
    int first_cpu = -1;
    FirstCpuMeans first_cpu_means = FirstCpuMeans::unknown;
    int last_cpu = -1;             ///< where it was last seen
    std::int64_t migrations = -1;  ///< since its birth, when last seen (se.nr_migrations); -1: not known
    bool affinity_kept = true;     ///< false: when last seen, its mask was no longer what the session had given it
    int own_affinity = 0;          ///< times the program itself set its affinity, which was respected
    int overridden = 0;            ///< times it tried and the session kept its own (--force)
    std::int64_t scans = 0;        ///< windows of memory that it armed (--scan), and what follows is of scanning, too
    std::int64_t scan_system_ns = 0;
    std::int64_t hint_faults = 0;
    std::int64_t hint_faults_local = 0;
    bool alive = false;         ///< had not ended when last seen
    std::int64_t born_ns = 0;   ///< CLOCK_MONOTONIC
    std::int64_t ended_ns = 0;  ///< CLOCK_MONOTONIC; 0: not seen to end
};

}  // namespace pinwise
