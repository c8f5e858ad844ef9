#include "placer/agent/observation.hpp"

#include <vector>

#include "placer/agent/session_lock.hpp"
#include "placer/agent/task_status.hpp"
#include "placer/agent/thread_table.hpp"
#include "placer/relaxed.hpp"

namespace pinwise {

namespace {

struct Observation {
    RecordSlot slot = 0;
    int pid = 0;
    int tid = 0;
    std::int64_t born_ns = 0;
    TaskStatus status;
    std::int64_t migrations = -1;
    CpuMask mask;
};

std::vector<Observation> list_threads(const SessionMemory& memory, std::optional<int> pid) {
    std::vector<Observation> found;
    const SessionLock lock(memory.header());
    if (!lock.held()) return found;
    ThreadTable table(memory);
    table.settle(lock);
    for (int position = 0; position < table.live_count(); ++position) {
        const RecordSlot slot = table.live(position);
        const SharedRecord& record = table.record(slot);
        const int owner = record.pid.load(relaxed);
        if (pid && owner != *pid) continue;
        Observation& thread = found.emplace_back();
        thread.slot = slot;
        thread.pid = owner;
        thread.tid = record.tid.load(relaxed);
        thread.born_ns = record.born_ns.load(relaxed);
    }
    return found;
}

/// A thread that has not started is judged by its process.
void look_at(Observation& thread) {
    thread.status = read_task_status(thread.pid, thread.tid != 0 ? thread.tid : thread.pid);
    if (thread.tid == 0 || thread.status.state == TaskState::gone) return;
    thread.migrations = read_migrations(thread.pid, thread.tid);
    thread.mask = CpuMask::of_thread(thread.tid);
}

bool started_at_another_time(const SharedRecord& record, const TaskStatus& status) {
    const std::uint64_t known = record.start_ticks.load(relaxed);
    return known != 0 && status.start_ticks != 0 && known != status.start_ticks;
}

void note(ThreadTable& table, const Observation& thread) {
    SharedRecord& record = table.record(thread.slot);
    const bool same = table.is_live(thread.slot) && record.pid.load(relaxed) == thread.pid &&
                      record.tid.load(relaxed) == thread.tid && record.born_ns.load(relaxed) == thread.born_ns;
    if (!same || thread.status.state == TaskState::unknown) return;
    if (thread.status.state == TaskState::gone || (thread.tid != 0 && started_at_another_time(record, thread.status))) {
        table.end(thread.slot, 0);
        return;
    }
    if (thread.tid == 0) return;
    record.start_ticks.store(thread.status.start_ticks, relaxed);
    record.last_cpu.store(thread.status.cpu, relaxed);
    if (thread.migrations >= 0 && record.migrations_at_birth.load(relaxed) >= 0)
        record.migrations.store(thread.migrations, relaxed);
    if (!thread.mask.empty()) {
        record.affinity_kept.store(was_given(record, thread.mask.hash()) ? 1 : 0, relaxed);
    }
    store_name(record, thread.status.name.data());
}

}  // namespace

// /proc is read without the lock, so that the program's threads do not wait for it.
void observe_threads(const SessionMemory& memory, std::optional<int> pid) {
    auto threads = list_threads(memory, pid);
    for (Observation& thread : threads)
        look_at(thread);
    const SessionLock lock(memory.header());
    if (!lock.held()) return;
    ThreadTable table(memory);
    table.settle(lock);
    for (const Observation& thread : threads)
        note(table, thread);
}

}  // namespace pinwise
