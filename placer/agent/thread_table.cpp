#include "placer/agent/thread_table.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "placer/relaxed.hpp"

namespace pinwise {

namespace {

bool state_is_live(RecordState state) {
    return state == RecordState::creating || state == RecordState::alive;
}

void clear(SharedRecord& record, int pid, std::int64_t now_ns) {
    record.pid.store(pid, relaxed);
    record.tid.store(0, relaxed);
    for (auto* field : {&record.asked_cpu, &record.got_cpu, &record.first_cpu, &record.last_cpu, &record.counted_cpu}) {
        field->store(-1, relaxed);
    }
    record.got_count.store(0, relaxed);
    record.first_cpu_means.store(FirstCpuMeans::unknown, relaxed);
    record.affinity_kept.store(1, relaxed);
    record.migrations.store(-1, relaxed);
    record.migrations_at_birth.store(-1, relaxed);
    record.born_ns.store(now_ns, relaxed);
    record.ended_ns.store(0, relaxed);
    record.start_ticks.store(0, relaxed);
    record.given_mask.store(0, relaxed);
    record.given_seen_ns.store(0, relaxed);
    record.given_before.store(0, relaxed);
    record.seen_waiting.store(0, relaxed);
    record.handle.store(0, relaxed);
    record.unbound_mask.store(no_session_mask, relaxed);
    record.inherited_mask.store(no_session_mask, relaxed);
    record.own_affinity.store(0, relaxed);
    record.overridden.store(0, relaxed);
    for (auto& part : record.name)
        part.store(0, relaxed);
}

}  // namespace

int ThreadTable::live_count() const {
    return std::clamp(header_->live_count.load(relaxed), 0, max_session_threads);
}

int ThreadTable::used() const {
    return std::clamp(header_->records_used.load(relaxed), 0, max_session_threads);
}

bool ThreadTable::is_live(RecordSlot slot) const {
    return state_is_live(record(slot).state.load(std::memory_order_acquire));
}

RecordSlot ThreadTable::live(int position) const {
    const std::uint32_t slot = header_->live[static_cast<std::size_t>(position)].load(relaxed);
    return static_cast<RecordSlot>(std::min<std::uint32_t>(slot, max_session_threads - 1));
}

std::optional<RecordSlot> ThreadTable::free_slot() {
    const int taken = used();
    if (taken < max_session_threads) {
        header_->records_used.store(taken + 1, relaxed);
        return taken;
    }
    if (live_count() >= max_session_threads) return std::nullopt;
    const int start = std::clamp(header_->reuse_cursor.load(relaxed), 0, max_session_threads - 1);
    for (int step = 0; step < max_session_threads; ++step) {
        const RecordSlot slot = (start + step) % max_session_threads;
        // One that is leaving is still in the live list.
        const RecordState state = record(slot).state.load(std::memory_order_acquire);
        if (state != RecordState::free && state != RecordState::ended) continue;
        header_->reuse_cursor.store((slot + 1) % max_session_threads, relaxed);
        return slot;
    }
    return std::nullopt;
}

std::optional<RecordSlot> ThreadTable::add(int pid, std::int64_t now_ns) {
    const auto slot = free_slot();
    if (!slot) {
        header_->threads_not_recorded.fetch_add(1, relaxed);
        return std::nullopt;
    }
    SharedRecord& fresh = record(*slot);
    fresh.state.store(RecordState::free, std::memory_order_release);
    clear(fresh, pid, now_ns);
    const int index = next_index();
    fresh.index.store(index, relaxed);
    header_->next_index.store(index + 1, relaxed);
    fresh.state.store(RecordState::creating, std::memory_order_release);
    append_live(*slot);
    return slot;
}

void ThreadTable::take_back(RecordSlot slot) {
    SharedRecord& taken = record(slot);
    count_at(slot, -1);
    remove_live(slot);
    if (taken.index.load(relaxed) == next_index() - 1) header_->next_index.store(next_index() - 1, relaxed);
    if (slot == used() - 1) header_->records_used.store(slot, relaxed);
    taken.state.store(RecordState::free, std::memory_order_release);
}

void ThreadTable::settle(const SessionLock& lock) {
    if (lock.last_holder_died()) repair();
    header_->leaving.collect([this](RecordSlot slot) {
        if (record(slot).state.load(std::memory_order_acquire) == RecordState::leaving) end(slot, 0);
    });
}

void ThreadTable::end(RecordSlot slot, std::int64_t ended_ns) {
    SharedRecord& ending = record(slot);
    const RecordState state = ending.state.load(std::memory_order_acquire);
    if (state == RecordState::free || state == RecordState::ended) return;
    count_at(slot, -1);
    remove_live(slot);
    // One that is leaving has said itself when it ended.
    if (state != RecordState::leaving) ending.ended_ns.store(ended_ns, relaxed);
    ending.state.store(RecordState::ended, std::memory_order_release);
}

void ThreadTable::leave(RecordSlot slot, std::int64_t ended_ns) {
    SharedRecord& leaver = record(slot);
    leaver.ended_ns.store(ended_ns, relaxed);
    RecordState alive = RecordState::alive;
    if (leaver.state.compare_exchange_strong(alive, RecordState::leaving)) header_->leaving.add(slot);
}

void ThreadTable::count_at(RecordSlot slot, int cpu) {
    SharedRecord& counted = record(slot);
    const int previous = counted.counted_cpu.load(relaxed);
    if (cpu < 0 || cpu >= max_session_cpus) cpu = -1;
    if (previous == cpu) return;
    if (previous >= 0 && previous < max_session_cpus) {
        auto& running = header_->running[static_cast<std::size_t>(previous)];
        running.store(running.load(relaxed) - 1, relaxed);
    }
    if (cpu >= 0) {
        auto& running = header_->running[static_cast<std::size_t>(cpu)];
        running.store(running.load(relaxed) + 1, relaxed);
    }
    counted.counted_cpu.store(cpu, relaxed);
}

void ThreadTable::append_live(RecordSlot slot) {
    const int count = std::min(live_count(), max_session_threads - 1);
    header_->live[static_cast<std::size_t>(count)].store(static_cast<std::uint32_t>(slot), relaxed);
    record(slot).live_slot.store(static_cast<std::uint32_t>(count), relaxed);
    header_->live_count.store(count + 1, relaxed);
}

void ThreadTable::remove_live(RecordSlot slot) {
    const int last = live_count() - 1;
    const auto position = static_cast<int>(record(slot).live_slot.load(relaxed));
    if (last < 0 || position > last || live(position) != slot) return;
    const RecordSlot moved = live(last);
    header_->live[static_cast<std::size_t>(position)].store(static_cast<std::uint32_t>(moved), relaxed);
    record(moved).live_slot.store(static_cast<std::uint32_t>(position), relaxed);
    header_->live_count.store(last, relaxed);
}

template <class Matches>
std::optional<RecordSlot> ThreadTable::find_live(Matches matches) const {
    for (int position = 0; position < live_count(); ++position) {
        const RecordSlot slot = live(position);
        if (matches(record(slot)) && is_live(slot)) return slot;
    }
    return std::nullopt;
}

std::optional<RecordSlot> ThreadTable::find(int pid, int tid) const {
    return find_live([&](const SharedRecord& candidate) {
        return candidate.tid.load(relaxed) == tid && candidate.pid.load(relaxed) == pid;
    });
}

std::optional<RecordSlot> ThreadTable::find_task(int tid) const {
    return find_live([&](const SharedRecord& candidate) { return candidate.tid.load(relaxed) == tid; });
}

std::optional<RecordSlot> ThreadTable::find_handle(int pid, std::uint64_t handle) const {
    return find_live([&](const SharedRecord& candidate) {
        return candidate.handle.load(relaxed) == handle && candidate.pid.load(relaxed) == pid;
    });
}

std::optional<RecordSlot> ThreadTable::find_given(int pid, std::uint64_t given_mask) const {
    return find_live([&](const SharedRecord& candidate) {
        return was_given(candidate, given_mask) && candidate.pid.load(relaxed) == pid;
    });
}

std::uint32_t ThreadTable::remember_mask(const CpuMask& mask) {
    const std::uint32_t used = std::min(header_->masks_used.load(relaxed), max_session_masks);
    for (std::uint32_t place = 0; place < used; ++place)
        if (header_->masks[place] == mask) return place;
    if (used == max_session_masks) return no_session_mask;
    header_->masks[used] = mask;
    header_->masks_used.store(used + 1, std::memory_order_release);
    return used;
}

const CpuMask* ThreadTable::unbound_mask(RecordSlot slot) const {
    return remembered(record(slot).unbound_mask.load(relaxed));
}

const CpuMask* ThreadTable::inherited_mask(RecordSlot slot) const {
    return remembered(record(slot).inherited_mask.load(relaxed));
}

const CpuMask* ThreadTable::remembered(std::uint32_t place) const {
    const std::uint32_t used = std::min(header_->masks_used.load(std::memory_order_acquire), max_session_masks);
    return place < used ? &header_->masks[place] : nullptr;
}

std::optional<ThreadRecord> ThreadTable::read(RecordSlot slot) const {
    const SharedRecord& shared = record(slot);
    const RecordState state = shared.state.load(std::memory_order_acquire);
    if (state == RecordState::free) return std::nullopt;
    ThreadRecord copy;
    copy.index = shared.index.load(relaxed);
    copy.pid = shared.pid.load(relaxed);
    copy.tid = shared.tid.load(relaxed);
    std::array<std::uint64_t, 2> name{shared.name[0].load(relaxed), shared.name[1].load(relaxed)};
    const auto letters = std::bit_cast<std::array<char, 16>>(name);
    copy.name.assign(letters.begin(), std::find(letters.begin(), letters.end(), '\0'));
    copy.asked_cpu = shared.asked_cpu.load(relaxed);
    copy.got_count = shared.got_count.load(relaxed);
    copy.got_cpu = shared.got_cpu.load(relaxed);
    copy.first_cpu = shared.first_cpu.load(relaxed);
    copy.first_cpu_means = shared.first_cpu_means.load(relaxed);
    copy.last_cpu = shared.last_cpu.load(relaxed);
    const std::int64_t at_birth = shared.migrations_at_birth.load(relaxed);
    const std::int64_t migrations = shared.migrations.load(relaxed);
    copy.migrations = at_birth < 0 || migrations < at_birth ? -1 : migrations - at_birth;
    copy.affinity_kept = shared.affinity_kept.load(relaxed) != 0;
    copy.own_affinity = static_cast<int>(shared.own_affinity.load(relaxed));
    copy.overridden = static_cast<int>(shared.overridden.load(relaxed));
    copy.scans = static_cast<std::int64_t>(shared.scans.load(relaxed));
    copy.scan_system_ns = static_cast<std::int64_t>(shared.scan_system_ns.load(relaxed));
    copy.hint_faults = static_cast<std::int64_t>(shared.hint_faults.load(relaxed));
    copy.hint_faults_local = static_cast<std::int64_t>(shared.hint_faults_local.load(relaxed));
    copy.alive = state_is_live(state);
    copy.born_ns = shared.born_ns.load(relaxed);
    copy.ended_ns = shared.ended_ns.load(relaxed);
    return copy;
}

void ThreadTable::repair() {
    header_->live_count.store(0, relaxed);
    for (auto& running : header_->running)
        running.store(0, relaxed);
    int next = 0;
    for (RecordSlot slot = 0; slot < used(); ++slot) {
        SharedRecord& found = record(slot);
        if (found.state.load(std::memory_order_acquire) == RecordState::free) continue;
        next = std::max(next, found.index.load(relaxed) + 1);
        const int counted = found.counted_cpu.load(relaxed);
        found.counted_cpu.store(-1, relaxed);
        if (!is_live(slot)) {
            found.state.store(RecordState::ended, std::memory_order_release);
            continue;
        }
        append_live(slot);
        count_at(slot, counted);
    }
    header_->next_index.store(std::max(next, next_index()), relaxed);
}

void store_name(SharedRecord& record, std::string_view name) {
    std::array<char, 16> letters{};
    std::copy_n(name.begin(), std::min<std::size_t>(name.size(), 15), letters.begin());
    const auto parts = std::bit_cast<std::array<std::uint64_t, 2>>(letters);
    record.name[0].store(parts[0], relaxed);
    record.name[1].store(parts[1], relaxed);
}

}  // namespace pinwise
