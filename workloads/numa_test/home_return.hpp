#pragma once
/// How long a job stays away from its home node after a disturbance is over. Pure.

#include <cstdint>
#include <optional>
#include <span>

#include "workloads/numa_test/job_record.hpp"

namespace pinwise::numa_test {

struct HomeReturn {
    double seconds = 0;    ///< from the end of the disturbance until it was on its home node; 0: it was there
    bool returned = true;  ///< false: it ended elsewhere without having been back, `seconds` is until its end
};

/// The home node is that of the first visit. Visits are in order of time. Nothing where there is none, or where the job
/// ended before the disturbance did.
std::optional<HomeReturn> home_return(std::span<const NodeVisit> visits, std::int64_t disturbed_until_ns,
                                      std::int64_t job_ended_ns);

}  // namespace pinwise::numa_test
