#include "placer/agent/load_refresh.hpp"

#include <algorithm>

#include "placer/relaxed.hpp"

namespace pinwise {

namespace {

constexpr std::int64_t min_interval_ns = 1'000'000;
constexpr std::int64_t interval_per_cost = 20;

/// A task with this tid that started at another time is another task.
bool is_same_task(SharedRecord& record, const TaskStatus& status) {
    const std::uint64_t known = record.start_ticks.load(relaxed);
    if (known == 0) record.start_ticks.store(status.start_ticks, relaxed);
    return known == 0 || known == status.start_ticks;
}

void refresh_one(ThreadTable& table, RecordSlot slot, std::int64_t age_ns, TaskReader read) {
    SharedRecord& record = table.record(slot);
    const int pid = record.pid.load(relaxed);
    const int tid = record.tid.load(relaxed);
    if (tid == 0) {
        // Not started yet: keeps counting where it was put, unless its process is gone.
        if (read(pid, pid).state == TaskState::gone) table.end(slot, 0);
        return;
    }
    const TaskStatus status = read(pid, tid);
    if (status.state == TaskState::unknown) return;
    if (status.state == TaskState::gone || !is_same_task(record, status)) {
        table.end(slot, 0);
        return;
    }
    if (status.cpu >= 0) record.last_cpu.store(status.cpu, relaxed);
    const bool waits = status.state == TaskState::waiting;
    const bool waited_before = record.seen_waiting.exchange(waits ? 1 : 0, relaxed) != 0;
    if (!waits) return table.count_at(slot, status.cpu);
    if (waited_before || age_ns >= settled_thread_ns) table.count_at(slot, -1);
}

}  // namespace

void refresh_load(ThreadTable& table, std::int64_t now_ns, TaskReader read) {
    // Backwards, because a record that ends has its place in the live list taken by the last one.
    for (int position = table.live_count() - 1; position >= 0; --position) {
        const RecordSlot slot = table.live(position);
        const std::int64_t age_ns = now_ns - table.record(slot).born_ns.load(relaxed);
        if (age_ns >= young_thread_ns) refresh_one(table, slot, age_ns, read);
    }
}

bool refresh_is_due(const SessionHeader& header, std::int64_t now_ns) {
    const std::int64_t interval = std::max(min_interval_ns, interval_per_cost * header.refresh_cost_ns.load(relaxed));
    return now_ns - header.refreshed_ns.load(relaxed) > interval;
}

void refresh_load_if_due(SessionHeader& header, ThreadTable& table, std::int64_t now_ns, TaskReader read) {
    if (!refresh_is_due(header, now_ns)) return;
    const std::int64_t start_ns = own_cpu_time_ns();
    refresh_load(table, now_ns, read);
    header.refresh_cost_ns.store(own_cpu_time_ns() - start_ns, relaxed);
    header.refreshed_ns.store(session_time_ns(), relaxed);
}

}  // namespace pinwise
