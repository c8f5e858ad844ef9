#pragma once
/// A finished run of hackbench as the report that all workloads give, and as text.

#include <string>

#include "workloads/common/workload_report.hpp"
#include "workloads/hackbench/command_line.hpp"

namespace pinwise::hackbench {

/// One metric, Time in seconds.
workloads::WorkloadReport make_report(const Options& options, double time_s);

/// Ends in the line "Time: 0.123".
std::string result_text(const Options& options, double time_s);

}  // namespace pinwise::hackbench
