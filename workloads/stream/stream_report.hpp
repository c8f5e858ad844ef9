#pragma once
/// A finished run of STREAM as the report that all workloads give, and as text.

#include <string>
#include <vector>

#include "workloads/common/cache_sizes.hpp"
#include "workloads/common/workload_report.hpp"
#include "workloads/stream/array_size.hpp"
#include "workloads/stream/command_line.hpp"
#include "workloads/stream/stream_run.hpp"

namespace pinwise::stream {

/// Everything known of a run, as decided before it and as found by it.
struct FinishedRun {
    workloads::CacheTotal llc;
    ArraySize size;
    RunParameters parameters;
    workloads::ThreadTeam team;
    RunResult result;
};

/// Metrics Copy, Scale, Add, Triad: best rates in MB/s; parameters, the time of every iteration, notes.
workloads::WorkloadReport make_report(const FinishedRun& run);

/// STREAM's own result lines between a label that says what this is a variant of and a summary for people. Without
/// rates where the check failed.
std::string result_text(const FinishedRun& run, const workloads::WorkloadReport& report);

}  // namespace pinwise::stream
