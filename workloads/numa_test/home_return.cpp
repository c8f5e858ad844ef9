#include "workloads/numa_test/home_return.hpp"

#include "workloads/common/monotonic_time.hpp"

namespace pinwise::numa_test {

std::optional<HomeReturn> home_return(std::span<const NodeVisit> visits, std::int64_t disturbed_until_ns,
                                      std::int64_t job_ended_ns) {
    if (visits.empty() || job_ended_ns <= disturbed_until_ns) return std::nullopt;
    const int home = visits.front().node;
    int node = home;
    for (const NodeVisit& visit : visits) {
        if (visit.time_ns > disturbed_until_ns) {
            if (node == home) break;
            if (visit.node == home)
                return HomeReturn{workloads::seconds_between(disturbed_until_ns, visit.time_ns), true};
        }
        node = visit.node;
    }
    if (node == home) return HomeReturn{0, true};
    return HomeReturn{workloads::seconds_between(disturbed_until_ns, job_ended_ns), false};
}

}  // namespace pinwise::numa_test
