#include "workloads/numa_test/node_clock.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workloads/common/child_processes.hpp"
#include "workloads/common/monotonic_time.hpp"

namespace pinwise::numa_test {

namespace {

double user_time_s() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) / 1e6;
}

void add_time(JobRecord& record, int node, double seconds) {
    const auto index = static_cast<std::size_t>(node);
    (node >= 0 && index < most_nodes ? record.node_s[index] : record.nowhere_s) += seconds;
}

}  // namespace

const char* to_string(NodeTimes means) {
    return means == NodeTimes::perf ? "perf" : "own";
}

NodeClock::NodeClock(const workloads::CpuNodes& nodes, JobRecord& record) : nodes_(nodes), record_(record) {
    record_.first_cpu = sched_getcpu();
    arrive_at(record_.first_cpu);
}

void NodeClock::look() {
    const int cpu = sched_getcpu();
    if (cpu == record_.last_cpu) return;
    if (nodes_.node_of(cpu) == node_) {
        record_.last_cpu = cpu;
        return;
    }
    charge();
    arrive_at(cpu);
}

void NodeClock::stop() {
    look();
    charge();
}

void NodeClock::arrive_at(int cpu) {
    record_.last_cpu = cpu;
    node_ = nodes_.node_of(cpu);
    if (record_.visit_count < most_moves) record_.visits[record_.visit_count] = {workloads::monotonic_ns(), node_};
    ++record_.visit_count;
}

void NodeClock::charge() {
    const double now_s = user_time_s();
    add_time(record_, node_, now_s - charged_s_);
    charged_s_ = now_s;
}

workloads::Expected<TaskClocks> TaskClocks::open(const workloads::CpuNodes& nodes) {
    if (const auto enough = workloads::ensure_descriptors(nodes.node_of_cpu.size() + 32, "--node-times perf"); !enough)
        return tl::unexpected(enough.error());
    TaskClocks clocks;
    for (std::size_t cpu = 0; cpu < nodes.node_of_cpu.size(); ++cpu) {
        if (nodes.node_of_cpu[cpu] < 0) continue;
        perf_event_attr attributes{};
        attributes.type = PERF_TYPE_SOFTWARE;
        attributes.size = sizeof attributes;
        attributes.config = PERF_COUNT_SW_TASK_CLOCK;
        attributes.exclude_kernel = 1;  // permits it to everybody; the clock runs in the kernel all the same
        attributes.exclude_hv = 1;
        const long event =
            syscall(SYS_perf_event_open, &attributes, 0, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC);
        if (event < 0)
            return workloads::failed_run(fmt::format(
                "--node-times perf: the kernel refuses a task-clock event: {}; see kernel.perf_event_paranoid and the "
                "container's seccomp profile, or use --node-times own",
                std::strerror(errno)));
        clocks.clocks_.push_back({nodes.node_of_cpu[cpu], workloads::Descriptor(static_cast<int>(event))});
    }
    return clocks;
}

void TaskClocks::store(JobRecord& record) const {
    record.node_s.fill(0);
    record.nowhere_s = 0;
    for (const Clock& clock : clocks_) {
        std::uint64_t ns = 0;
        if (read(clock.event.get(), &ns, sizeof ns) == ssize_t{sizeof ns})
            add_time(record, clock.node, static_cast<double>(ns) / 1e9);
    }
}

}  // namespace pinwise::numa_test
