#pragma once
/// Runs a program in the foreground and traces its threads: by the kernel's tracepoints where they may be used, else by
/// the agent's record.

#include <optional>
#include <string>
#include <vector>

#include "placer/result.hpp"
#include "placer/topology/cpu_set.hpp"
#include "placer/topology/machine.hpp"
#include "runner/cli/trace_report.hpp"

namespace pinwise::cli {

struct TraceRecordOptions {
    std::vector<std::string> command;
    std::optional<CpuSet> cpus;  ///< absent: the program keeps our mask
    std::string comm;            ///< only threads of this name; empty: all
    std::string raw_file;        ///< the trace's own text goes there; empty: nowhere
};

struct TraceRecording {
    int wait_status = 0;         ///< of the program
    Result<TraceReport> report;  ///< a failure says what could not be recorded
};

/// Errors: what launch() refuses, a raw file that cannot be written.
Result<TraceRecording> record_trace(const Machine& machine, const TraceRecordOptions& options);

}  // namespace pinwise::cli
