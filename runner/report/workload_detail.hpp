#pragma once
/// What output/NNNN.json tells of a trial beyond its rows in trials.csv. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"

namespace pinwise::report {

/// Every timed iteration of one kernel, in order.
struct IterationSeries {
    std::string kernel;
    std::vector<double> times_s;  ///< positive and finite
    std::optional<double> bytes;  ///< moved in one iteration, absent where the workload does not say
};

/// The local share at one moment of a trial.
struct LocalShare {
    double time_s = 0;
    double percent = 0;
};

struct WorkloadDetail {
    std::vector<IterationSeries> iterations;
    std::vector<LocalShare> local_course;  ///< how it went over the trial; empty where the workload does not say
    /// Percent of the sampled pages that were on the node their thread last ran on; absent when not known.
    std::optional<double> local_percent;
};

/// What is missing in the document is missing in the result; what is no JSON object is a failure that says so.
Result<WorkloadDetail> parse_workload_detail(std::string_view text);

}  // namespace pinwise::report
