#pragma once
/// A finished run of a kernel as the report that all workloads give, and as text.

#include <string>

#include "workloads/common/workload_report.hpp"
#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb {

/// Mop/s from NPB's operation count and the time of the timed region.
double mega_operations_per_s(const KernelRun& run);

/// Metrics Mop/s (higher is better) and Time (seconds, lower is better), the time of every iteration, the checks'
/// verdict, parameters and notes.
workloads::WorkloadReport make_report(const Kernel& kernel, const RunParameters& parameters,
                                      const workloads::ThreadTeam& team, const KernelRun& run);

/// A summary for people, then NPB's own result lines, which programs that read NPB's output look for. Without time and
/// rate where the verification failed.
std::string result_text(const Kernel& kernel, const RunParameters& parameters, const workloads::ThreadTeam& team,
                        const KernelRun& run, const workloads::WorkloadReport& report);

}  // namespace pinwise::npb
