#pragma once
/// The session's records and its load: who lives, where each counts. Every change but leave() needs the session's lock.

#include <cstdint>
#include <optional>
#include <string_view>

#include "placer/agent/session_lock.hpp"
#include "placer/agent/session_memory.hpp"
#include "placer/agent/thread_record.hpp"

namespace pinwise {

/// A slot number in SessionMemory::records().
using RecordSlot = int;

class ThreadTable {
public:
    explicit ThreadTable(const SessionMemory& memory) : header_(&memory.header()), records_(memory.records()) {}

    /// The first thing under every lock: rebuilds what a holder that died may have left half-changed, and takes out the
    /// threads that have left since.
    void settle(const SessionLock& lock);

    /// A record for a thread about to be created, live at once, with the next index of the session. Nothing when
    /// all records belong to live threads: the thread is then counted as not recorded.
    std::optional<RecordSlot> add(int pid, std::int64_t now_ns);
    /// The thread was not created after all: its record and, where it was the last one, its index are free again.
    void take_back(RecordSlot slot);
    /// `ended_ns` 0: it is gone, but nobody saw it end.
    void end(RecordSlot slot, std::int64_t ended_ns);

    /// The same from the thread itself, without the lock: it is taken out by the next settle().
    void leave(RecordSlot slot, std::int64_t ended_ns);

    /// Counts the thread as load of that CPU and of no other; -1: of none.
    void count_at(RecordSlot slot, int cpu);

    /// Index the next thread will get.
    [[nodiscard]] int next_index() const { return header_->next_index.load(std::memory_order_relaxed); }
    [[nodiscard]] int live_count() const;
    /// The k-th live record; positions change when a record ends (the last one moves into its place).
    [[nodiscard]] RecordSlot live(int position) const;
    /// The live record of a thread.
    [[nodiscard]] std::optional<RecordSlot> find(int pid, int tid) const;
    [[nodiscard]] std::optional<RecordSlot> find_task(int tid) const;
    /// `handle`: its pthread_t as a number.
    [[nodiscard]] std::optional<RecordSlot> find_handle(int pid, std::uint64_t handle) const;
    /// A live record of the process whose thread was given that mask (CpuMask::hash()).
    [[nodiscard]] std::optional<RecordSlot> find_given(int pid, std::uint64_t given_mask) const;
    [[nodiscard]] int used() const;
    /// Not free, leaving or ended.
    [[nodiscard]] bool is_live(RecordSlot slot) const;

    [[nodiscard]] SharedRecord& record(RecordSlot slot) const { return records_[static_cast<std::size_t>(slot)]; }
    /// A copy for people; nothing for a record that was never used or taken back.
    [[nodiscard]] std::optional<ThreadRecord> read(RecordSlot slot) const;

    /// The place of a mask in the session's memory, where it stays for good; no_session_mask when there is no room.
    std::uint32_t remember_mask(const CpuMask& mask);
    /// The affinity a thread would have without the session; null when that is not known. Needs no lock.
    [[nodiscard]] const CpuMask* unbound_mask(RecordSlot slot) const;
    /// The same before the program set an affinity of its own.
    [[nodiscard]] const CpuMask* inherited_mask(RecordSlot slot) const;

    /// Rebuilds the live list and the load from the records, after a process died while it changed them.
    void repair();

private:
    template <class Matches>
    [[nodiscard]] std::optional<RecordSlot> find_live(Matches matches) const;
    [[nodiscard]] const CpuMask* remembered(std::uint32_t place) const;
    std::optional<RecordSlot> free_slot();
    void append_live(RecordSlot slot);
    void remove_live(RecordSlot slot);

    SessionHeader* header_;
    std::span<SharedRecord> records_;
};

/// At most 15 characters.
void store_name(SharedRecord& record, std::string_view name);

}  // namespace pinwise
