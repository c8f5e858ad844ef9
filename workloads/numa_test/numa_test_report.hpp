#pragma once
/// A finished run of numa_test as the report that all workloads give, and as text.

#include <string>
#include <vector>

#include "workloads/common/workload_report.hpp"
#include "workloads/numa_test/job_table.hpp"
#include "workloads/numa_test/numa_test_run.hpp"

namespace pinwise::numa_test {

std::vector<JobRow> job_rows(const FinishedRun& run);

/// Metrics: AverageUserTime, ElapsedTime, TotalUserTime, TotalSysTime, HomeShare, JobsMoved, JobsEndedAway and, where
/// jobs outlived the disturbance, HomeReturnTime. A thread of the report is a job.
workloads::WorkloadReport make_report(const FinishedRun& run);

/// The table, after the lines that say what ran and before those that sum it up.
std::string result_text(const FinishedRun& run, const workloads::WorkloadReport& report);

}  // namespace pinwise::numa_test
