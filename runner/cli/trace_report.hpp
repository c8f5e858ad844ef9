#pragma once
/// What `pinwise trace` prints. The JSON document and the CSV columns are documented in docs/trace.md.

#include <cstdint>
#include <string>
#include <vector>

#include "placer/topology/machine.hpp"
#include "runner/sched_trace/placement_history.hpp"
#include "runner/sched_trace/trace_reader.hpp"

namespace pinwise::cli {

struct TraceReport {
    std::string source;  ///< the trace's name, or the means by which it was recorded
    PlacementHistory history;
    std::vector<std::string> gaps;  ///< what is known to be missing; empty: nothing
};

/// A sentence for everything that is known to be missing.
std::vector<std::string> describe_gaps(const TraceGaps& gaps, const PlacementHistory& history);

std::string format_trace_text(const TraceReport& report, const Machine& machine);
/// One record per thread.
std::string format_trace_csv(const TraceReport& report, const Machine& machine);
std::string format_trace_json(const TraceReport& report, const Machine& machine);

}  // namespace pinwise::cli
