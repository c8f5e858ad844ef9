#include "workloads/numa_test/job.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "workloads/common/page_residence.hpp"

namespace pinwise::numa_test {

namespace {

/// Updates between two looks at the CPU: some microseconds, which bounds how late a change of node is seen.
constexpr std::uint64_t updates_per_look = 4096;

/// Pages asked about at a job's end: enough to tell per cent, and at most some milliseconds.
constexpr std::size_t page_samples = 1024;

int give_up(const workloads::WorkloadError& error, JobRecord& record) {
    error.message.copy(record.trouble.data(), record.trouble.size() - 1);
    return static_cast<int>(error.status);
}

void record_pages(const RandomUpdates& updates, JobRecord& record) {
    const std::array ranges{updates.memory()};
    const auto pages = workloads::sample_node_pages(ranges, page_samples);
    if (!pages) return;
    record.pages_known = true;
    for (const auto& [node, count] : *pages)
        if (node >= 0 && static_cast<std::size_t>(node) < most_nodes)
            record.node_pages[static_cast<std::size_t>(node)] = static_cast<std::uint32_t>(count);
}

}  // namespace

int run_job(const JobWork& work, const workloads::CpuNodes& nodes, JobRecord& record) {
    NodeClock clock(nodes, record);
    std::optional<TaskClocks> task_clocks;
    if (work.node_times == NodeTimes::perf) {
        auto opened = TaskClocks::open(nodes);
        if (!opened) return give_up(opened.error(), record);
        task_clocks = std::move(*opened);
    }
    auto updates = RandomUpdates::map(work.elements, work.thp);
    if (!updates) return give_up(updates.error(), record);
    updates->fill();
    for (std::uint64_t sweep = 0; sweep < work.sweeps; ++sweep) {
        for (std::uint64_t begin = 0; begin < work.elements; begin += updates_per_look) {
            updates->update(begin, std::min(begin + updates_per_look, work.elements));
            clock.look();
        }
    }
    record.sums = updates->sums();
    record.expected = updates->expected_sums(work.sweeps);
    record_pages(*updates, record);
    clock.stop();
    if (task_clocks) task_clocks->store(record);
    record.finished = true;
    return 0;
}

}  // namespace pinwise::numa_test
