#pragma once
/// The OpenMP threads a workload runs on: started once, checked, and followed to the end.

#include <string>
#include <vector>

#include "workloads/common/expected.hpp"
#include "workloads/common/thread_cpus.hpp"

namespace pinwise::workloads {

/// A team of the OpenMP runtime, which keeps its threads for the regions that follow with the same number of them.
struct ThreadTeam {
    std::vector<ThreadCpus> threads;  ///< by OpenMP thread number
    std::vector<int> allowed_cpus;    ///< union of the threads' affinity masks, ascending

    [[nodiscard]] int size() const { return static_cast<int>(threads.size()); }
};

/// Starts `threads` (≥ 1) threads and asks each where it is and may run. Fails if the runtime gives fewer.
/// The masks are read from the threads, not from the process: who binds threads (OMP_PROC_BIND, a placer) may have
/// bound the initial thread to one CPU long before.
Expected<ThreadTeam> start_team(int threads);

/// Has every thread of the team note the CPU and node it is on now as its last.
void record_last_cpus(ThreadTeam& team);

/// What of OpenMP's settings changes a result: "passive", "active" or "default" for OMP_WAIT_POLICY.
std::string omp_wait_policy();

/// OMP_PROC_BIND as the runtime understood it: "false", "true", "master", "close" or "spread".
std::string omp_proc_bind();

}  // namespace pinwise::workloads
