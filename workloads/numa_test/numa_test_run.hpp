#pragma once
/// A run of numa_test: all jobs started at once, disturbed, and waited for.

#include <vector>

#include "workloads/common/child_processes.hpp"
#include "workloads/common/cpu_nodes.hpp"
#include "workloads/common/expected.hpp"
#include "workloads/common/shared_array.hpp"
#include "workloads/numa_test/command_line.hpp"
#include "workloads/numa_test/disturbance.hpp"
#include "workloads/numa_test/job_record.hpp"

namespace pinwise::numa_test {

struct FinishedRun {
    Options options;
    workloads::CpuNodes nodes;
    workloads::SharedArray<JobRecord> records;  ///< one a job
    std::vector<workloads::ChildEnd> ends;      ///< the same jobs
    Disturbance disturbance;
    double elapsed_s = 0;  ///< from before the first job was started until the last had ended
};

/// Fails when a job or the disturbance ends badly, or at a signal. Whatever is still running, a disturbance that
/// outlives the jobs among it, is `children`'s to end.
workloads::Expected<FinishedRun> run_numa_test(const Options& options, workloads::ChildProcesses& children);

}  // namespace pinwise::numa_test
