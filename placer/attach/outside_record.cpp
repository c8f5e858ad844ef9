#include "placer/attach/outside_record.hpp"

#include "placer/agent/session_lock.hpp"
#include "placer/relaxed.hpp"

namespace pinwise {

namespace {

// As much as the agent spends on counting migrations.
constexpr std::int64_t counting_credit_ns = 100'000'000;
constexpr std::int64_t counting_share = 20;

bool is_of(const SharedRecord& record, const RecordedThread& thread) {
    return record.pid.load(relaxed) == thread.pid && record.tid.load(relaxed) == thread.tid;
}

template <class Action>
void with_table(ThreadPlacer& placer, Action action) {
    const SessionLock lock(placer.memory().header());
    if (!lock.held()) return;
    placer.table().settle(lock);
    action(placer.table());
}

void count_migrations(SessionHeader& header, SharedRecord& record, const RecordedThread& thread) {
    const std::int64_t start_ns = session_time_ns();
    const std::int64_t budget_ns = counting_credit_ns + (start_ns - header.created_ns) / counting_share;
    const bool affordable = header.counting_cost_ns.load(relaxed) <= budget_ns;
    const std::int64_t migrations = affordable ? read_migrations(thread.pid, thread.tid) : -1;
    record.migrations.store(migrations, relaxed);
    if (migrations < 0) record.migrations_at_birth.store(-1, relaxed);
    header.counting_cost_ns.fetch_add(session_time_ns() - start_ns, relaxed);
}

}  // namespace

void record_own_affinity(ThreadPlacer& placer, Birth& birth, const CpuMask& mask) {
    birth.cpu = -1;
    birth.inherited = mask;
    SharedRecord& record = placer.table().record(birth.slot);
    record.asked_cpu.store(-1, relaxed);
    record.own_affinity.store(1, relaxed);
    with_table(placer, [&](ThreadTable& table) { table.count_at(birth.slot, -1); });
}

void record_start(ThreadPlacer& placer, const RecordedThread& thread, const Start& start) {
    SharedRecord& record = placer.table().record(thread.slot);
    record.got_count.store(start.got.count(), relaxed);
    record.got_cpu.store(start.got.first(), relaxed);
    record.first_cpu.store(start.first_cpu, relaxed);
    record.last_cpu.store(start.first_cpu, relaxed);
    record.first_cpu_means.store(start.certain ? FirstCpuMeans::agent : FirstCpuMeans::getcpu, relaxed);
    record.migrations_at_birth.store(start.migrations_at_birth, relaxed);
    record.migrations.store(start.migrations_at_birth, relaxed);
    record.start_ticks.store(start.status.start_ticks, relaxed);
    record.given_mask.store(start.got.hash(), relaxed);
    store_name(record, start.status.name.data());
    record.tid.store(thread.tid, relaxed);
    record.state.store(RecordState::alive, std::memory_order_release);
    with_table(placer, [&](ThreadTable& table) {
        if (record.counted_cpu.load(relaxed) < 0) table.count_at(thread.slot, start.first_cpu);
    });
}

void record_given(ThreadPlacer& placer, const RecordedThread& thread, const CpuMask& mask) {
    SharedRecord& record = placer.table().record(thread.slot);
    if (is_of(record, thread)) record.given_mask.store(mask.hash(), relaxed);
}

bool has_given_mask(ThreadPlacer& placer, const RecordedThread& thread) {
    const SharedRecord& record = placer.table().record(thread.slot);
    return is_of(record, thread) && record.given_mask.load(relaxed) == CpuMask::of_thread(thread.tid).hash();
}

void record_exec(ThreadPlacer& placer, const RecordedThread& thread) {
    SharedRecord& record = placer.table().record(thread.slot);
    if (is_of(record, thread)) store_name(record, read_task_status(thread.pid, thread.tid).name.data());
}

void record_leaving(ThreadPlacer& placer, const RecordedThread& thread) {
    SharedRecord& record = placer.table().record(thread.slot);
    if (!is_of(record, thread)) return;
    const TaskStatus status = read_task_status(thread.pid, thread.tid);
    if (status.cpu >= 0) record.last_cpu.store(status.cpu, relaxed);
    if (status.name[0] != '\0') store_name(record, status.name.data());
    if (record.migrations_at_birth.load(relaxed) >= 0) count_migrations(placer.memory().header(), record, thread);
    record.affinity_kept.store(has_given_mask(placer, thread) ? 1 : 0, relaxed);
    with_table(placer, [&](ThreadTable& table) { table.count_at(thread.slot, -1); });
}

void record_end(ThreadPlacer& placer, const RecordedThread& thread, std::int64_t ended_ns) {
    with_table(placer, [&](ThreadTable& table) {
        SharedRecord& record = table.record(thread.slot);
        if (!is_of(record, thread)) return;
        table.end(thread.slot, ended_ns);
        // Somebody who looked may have found it gone before.
        record.ended_ns.store(ended_ns, relaxed);
    });
}

}  // namespace pinwise
