#pragma once
/// Where a workload's threads were when they began and when they ended, as each of them sees it.

#include <optional>

#include <sys/types.h>

#include "workloads/common/page_residence.hpp"

namespace pinwise::workloads {

/// Where the calling thread is now: CPU and NUMA node by getcpu(2), both −1 where the kernel does not say.
struct CurrentCpu {
    int cpu = -1;
    int node = -1;
};

CurrentCpu current_cpu();

/// Node of the CPU that a thread of this process ran on last; −1 where it cannot be told.
int node_of_task(pid_t tid);

/// Kernel id of the calling thread.
pid_t current_tid();

/// One thread's life as the workload can tell it. The first CPU is where its first statement ran: a thread that was
/// moved between its birth and then looks as if it had been born there.
struct ThreadCpus {
    int thread = 0;  ///< index in the team
    pid_t tid = 0;
    int first_cpu = -1;
    int last_cpu = -1;
    int last_node = -1;
    std::optional<NodePages> node_pages;  ///< sample of the pages this thread uses; nothing where it could not be asked
};

}  // namespace pinwise::workloads
