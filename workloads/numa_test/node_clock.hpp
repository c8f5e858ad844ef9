#pragma once
/// A job's own account of its time on each NUMA node.

#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/common/cpu_nodes.hpp"
#include "workloads/common/descriptor.hpp"
#include "workloads/common/expected.hpp"
#include "workloads/numa_test/job_record.hpp"

namespace pinwise::numa_test {

/// How the time on each node becomes known.
enum class NodeTimes {
    own,   ///< user time: the job looks at its CPU after every few updates, and reads its user time when the node
           ///< changed
    perf,  ///< time on CPU, user and system: one software event (task-clock) for each CPU
};

const char* to_string(NodeTimes means);

/// Follows the calling process (of one thread) from its construction on.
class NodeClock {
public:
    NodeClock(const workloads::CpuNodes& nodes, JobRecord& record);

    /// Where is this process now? Some nanoseconds; more when it has moved.
    void look();
    /// Adds the time since the last change of node.
    void stop();

private:
    void arrive_at(int cpu);
    void charge();

    const workloads::CpuNodes& nodes_;
    JobRecord& record_;
    int node_ = -1;
    double charged_s_ = 0;
};

/// task-clock events of the calling process, one for each CPU.
class TaskClocks {
public:
    /// Fails with the reason of the kernel, and what forbids it.
    static workloads::Expected<TaskClocks> open(const workloads::CpuNodes& nodes);

    /// Replaces the record's times by what the events have counted.
    void store(JobRecord& record) const;

private:
    struct Clock {
        int node = -1;
        workloads::Descriptor event;
    };
    std::vector<Clock> clocks_;
};

}  // namespace pinwise::numa_test
