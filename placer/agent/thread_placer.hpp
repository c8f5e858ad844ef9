#pragma once
/// Decides where each new thread of this process goes and keeps its record: one per process image, over the session's
/// memory. Knows nothing of pthread_create, so it is tested with any machine.

#include <cstdint>
#include <memory>
#include <optional>

#include "placer/agent/cpu_mask.hpp"
#include "placer/agent/session_memory.hpp"
#include "placer/agent/thread_table.hpp"
#include "placer/domain/domain_tree.hpp"
#include "placer/policy/load_view.hpp"
#include "placer/policy/policy.hpp"
#include "placer/result.hpp"

namespace pinwise {

/// Who creates the thread, and from where.
struct Creator {
    int pid = 0;
    int waker = 0;                   ///< CPU that executes the creation
    CpuMask mask;                    ///< the creator's affinity, which the thread would inherit
    std::optional<RecordSlot> slot;  ///< its record, where it has one
};

/// A thread about to be created: its record, and what to do.
struct Birth {
    RecordSlot slot = 0;
    int cpu = -1;       ///< CPU to start on; -1: the session does not place it
    CpuMask inherited;  ///< affinity the program expects it to have, restored by --bind initial
};

class ThreadPlacer {
public:
    /// Errors: the machine or the policy in the memory cannot be understood.
    static Result<std::unique_ptr<ThreadPlacer>> create(SessionMemory memory);
    ThreadPlacer(SessionMemory memory, DomainTree tree, std::unique_ptr<PlacementPolicy> policy);

    /// A new thread. `own_mask` is the affinity its creator asked for explicitly: it is respected, and only recorded.
    /// Nothing when the session cannot take the thread in (no record free, lock not to be had).
    std::optional<Birth> begin_thread(const Creator& creator, const CpuMask* own_mask);
    /// The initial thread of a process that is not in the session yet. Its own contribution to the load is not counted.
    std::optional<Birth> begin_process(const Creator& creator);
    /// The initial thread of a new image in a process (exec) that already is in the session: the same task, so it keeps
    /// its record and CPU; the other threads of the old image are gone. Nothing when the process is new.
    std::optional<RecordSlot> find_after_exec(int pid);
    /// The thread was not created after all.
    void take_back(RecordSlot slot);

    /// Called in the thread before the program's code runs: records what the kernel gave and applies the binding.
    void started(const Birth& birth, int tid);
    /// Called in the thread when it ends.
    void ended(RecordSlot slot);

    /// The affinity that --bind leaves a placed thread with, once it is on its CPU.
    [[nodiscard]] CpuMask kept_mask(const Birth& birth) const;

    [[nodiscard]] const SessionMemory& memory() const { return memory_; }
    [[nodiscard]] ThreadTable& table() { return table_; }

private:
    std::optional<Birth> begin(const Creator& creator, const CpuMask* own_mask, bool creator_runs_on);
    int choose(const Creator& creator, const CpuMask& inherited, int index, bool creator_runs_on);
    [[nodiscard]] CpuMask inherited_mask(const Creator& creator) const;
    void bring_load_up_to_date(const Creator& creator, std::int64_t now_ns);
    void start_counting_migrations(SharedRecord& record, int tid);
    [[nodiscard]] int known_cpu(int cpu) const;

    SessionMemory memory_;
    DomainTree tree_;
    std::unique_ptr<PlacementPolicy> policy_;
    ThreadTable table_;
    LoadView load_;  ///< follows SessionHeader::running; like all below used under the session's lock only
    CpuSet allowed_;
    CpuMask allowed_mask_;
    int load_pid_ = 0;  ///< process load_ was last used in: a fork may have copied it half-changed
};

}  // namespace pinwise
