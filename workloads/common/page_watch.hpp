#pragma once
/// Follows the pages of a workload from its first touch to its end: on which nodes each array is, and how much of what
/// the threads use is on the nodes they run on.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "workloads/common/page_residence.hpp"
#include "workloads/common/thread_team.hpp"
#include "workloads/common/workload_report.hpp"

namespace pinwise::workloads {

struct NamedArray {
    std::string name;
    MemoryRange memory;
};

/// Pages asked about for each thread or array at the start and at the end: enough to tell per cent, and at most some
/// milliseconds.
inline constexpr std::size_t page_samples = 1024;

class PageWatch {
public:
    /// The parts of the arrays that a thread of the team uses, by OpenMP thread number.
    using RangesOfThread = std::function<std::vector<MemoryRange>(int)>;

    /// The team outlives the watch.
    PageWatch(ThreadTeam& team, std::vector<NamedArray> arrays, RangesOfThread ranges_of_thread);

    /// Once, when everything was touched and before anything is timed.
    void start();

    /// Between two iterations, by one thread: notes the local share when it is time to. Looks are so far apart that
    /// they cost at most 1/200 of the time, however long an iteration takes.
    void look();

    /// When the last CPUs are recorded (record_last_cpus): the report, and each thread's sample in the team.
    PageReport finish();

private:
    using Clock = std::chrono::steady_clock;

    void note_share(std::uint64_t local, std::uint64_t sampled);
    [[nodiscard]] double seconds() const;

    ThreadTeam& team_;
    std::vector<NamedArray> arrays_;
    RangesOfThread ranges_of_thread_;
    PageReport report_;
    Clock::time_point started_ = Clock::now();
    Clock::time_point next_look_ = started_;
};

}  // namespace pinwise::workloads
