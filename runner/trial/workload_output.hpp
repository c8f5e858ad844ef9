#pragma once
/// The JSON document a workload writes: its metrics, its verdict on itself, and what its threads saw. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"
#include "runner/trial/trial.hpp"

namespace pinwise {

/// One of the workload's threads, as it saw itself.
struct WorkloadThread {
    int tid = 0;
    int first_cpu = -1;  ///< its own first getcpu
    int last_cpu = -1;
};

struct WorkloadOutput {
    std::vector<Metric> metrics;
    bool verified = false;
    std::vector<WorkloadThread> threads;  ///< empty: the workload does not say
    std::vector<std::string> notes;
    std::optional<LocalShares> local_shares;  ///< first and last of pages.local_share
    std::optional<double> llc_ratio;  ///< parameters.llc_ratio: one array over the last-level caches it is read through
};

/// Errors (failures) name what is wrong: no JSON, another schema, no metric, a metric that is no finite number, a
/// missing verification. A document that says its verification failed is no error here.
Result<WorkloadOutput> parse_workload_output(std::string_view json);

}  // namespace pinwise
