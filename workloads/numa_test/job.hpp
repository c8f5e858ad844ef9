#pragma once
/// One job of numa_test, as it runs in a process of its own.

#include <cstdint>

#include "workloads/common/cpu_nodes.hpp"
#include "workloads/common/huge_page_mapping.hpp"
#include "workloads/numa_test/job_record.hpp"
#include "workloads/numa_test/node_clock.hpp"

namespace pinwise::numa_test {

struct JobWork {
    std::uint64_t elements = 0;
    std::uint64_t sweeps = 0;
    workloads::ThpAdvice thp = workloads::ThpAdvice::system_default;
    NodeTimes node_times = NodeTimes::own;
};

/// Looks where it is before it touches memory, does all sweeps, and leaves its record. Returns the exit status of the
/// job: 0 also when its sums are wrong, which the record tells.
int run_job(const JobWork& work, const workloads::CpuNodes& nodes, JobRecord& record);

}  // namespace pinwise::numa_test
