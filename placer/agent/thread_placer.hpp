#pragma once
/// Decides where each new thread of this process goes and keeps its record: one per process image, over the session's
/// memory. Knows nothing of pthread_create, so it is tested with any machine.

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "placer/agent/cpu_mask.hpp"
#include "placer/agent/kept_cpus.hpp"
#include "placer/agent/session_memory.hpp"
#include "placer/agent/thread_follower.hpp"
#include "placer/agent/thread_table.hpp"
#include "placer/domain/domain_tree.hpp"
#include "placer/policy/load_view.hpp"
#include "placer/policy/policy.hpp"
#include "placer/result.hpp"

namespace pinwise {

/// Who creates the thread, and from where.
struct Creator {
    int pid = 0;
    int waker = 0;  ///< CPU that executes the creation
    /// The creator's affinity, which the thread would inherit; absent: what the session gave it (only with a slot).
    std::optional<CpuMask> mask;
    std::optional<RecordSlot> slot;  ///< its record, where it has one
    /// Of a new process: the record of the thread that forked it, and the parent process. Where the record is not
    /// known (posix_spawn), one of the parent with this affinity stands for it.
    std::optional<RecordSlot> forked_by = std::nullopt;
    int parent_pid = 0;
};

/// A thread about to be created: its record, and what to do.
struct Birth {
    RecordSlot slot = 0;
    int cpu = -1;       ///< CPU to start on; -1: the session does not place it
    CpuMask inherited;  ///< affinity it would have without the session, as far as that is to be respected
    /// Not placed, and its creator's affinity is of our making: it must start with `inherited` instead.
    bool needs_inherited = false;
    std::optional<Heritage> heritage = std::nullopt;  ///< for the ThreadFollower; nothing: a process's first thread
    bool skipped = false;                             ///< left to the kernel as one of the first of its process
    bool accepted = false;  ///< the kernel took `cpu` for the thread, as whoever creates it was told
};

class ThreadPlacer {
public:
    /// Errors: the machine or the policy in the memory cannot be understood.
    static Result<std::unique_ptr<ThreadPlacer>> create(SessionMemory memory);
    ThreadPlacer(SessionMemory memory, DomainTree tree, std::unique_ptr<PlacementPolicy> policy);

    /// A new thread. `own_mask` is the affinity its creator asked for explicitly: it is respected, and only recorded.
    /// Nothing when the session cannot take the thread in (no record free, lock not to be had).
    std::optional<Birth> begin_thread(const Creator& creator, const CpuMask* own_mask);
    /// The initial thread of a process that is not in the session yet. Neither its own contribution to the load nor
    /// that of the thread that forked it is counted.
    std::optional<Birth> begin_process(const Creator& creator);
    /// The initial thread of a new image in a process (exec) that already is in the session: the same task, so it keeps
    /// its record and CPU; the other threads of the old image are gone. Nothing when the process is new.
    std::optional<RecordSlot> find_after_exec(int pid);
    /// The thread was not created after all.
    void take_back(const Birth& birth);

    /// The program is about to set the affinity of a thread, which is respected: whatever the session has still to do
    /// to that thread gives way. Returns what set_failed() needs.
    std::uint32_t program_sets_affinity(RecordSlot slot, const CpuMask& mask);
    /// The kernel refused it.
    void set_failed(RecordSlot slot, std::uint32_t previous);
    /// The program gives a placed thread back the very mask it would have without us, as those do that look round the
    /// CPUs and return (libomp, hwloc): the session's binding is put back. False: it is another mask, let the call
    /// pass.
    bool returns_to_session(RecordSlot slot, const CpuMask& mask);
    /// With --force, for a thread that is placed: nothing is to be done but to say whether the kernel would have taken
    /// the mask. Nothing: let the program's call pass.
    std::optional<bool> override_affinity(RecordSlot slot, const CpuMask& mask);

    /// The calling thread's affinity; absent while it is known to be what the session gave it: it was less than a
    /// millisecond ago, and the program has not set it through us.
    std::optional<CpuMask> changed_affinity(std::optional<RecordSlot> slot);

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
    int choose(const Creator& creator, std::optional<RecordSlot> maker, const CpuMask& inherited, int index,
               bool creator_runs_on);
    [[nodiscard]] CpuMask inherited_mask(const Creator& creator, std::optional<RecordSlot> maker) const;
    [[nodiscard]] std::optional<RecordSlot> maker(const Creator& creator, bool creator_runs_on) const;
    std::uint32_t unbound_mask(std::optional<RecordSlot> maker, const Birth& birth);
    void respect(Birth& birth, const CpuMask& own_mask);
    bool is_left_to_kernel(int pid);
    void bind(const Birth& birth, const CpuMask& got);
    void bring_load_up_to_date(const Creator& creator, std::int64_t now_ns);
    void start_counting_migrations(SharedRecord& record, int tid);
    [[nodiscard]] int counted_cpu(RecordSlot slot) const;
    [[nodiscard]] int known_cpu(int cpu) const;

    SessionMemory memory_;
    DomainTree tree_;
    std::unique_ptr<PlacementPolicy> policy_;
    ThreadTable table_;
    LoadView load_;  ///< follows SessionHeader::running; like all below used under the session's lock only
    CpuSet allowed_;
    CpuMask allowed_mask_;
    KeptCpus kept_;
    std::unordered_map<int, int> skipped_births_;  ///< by process: a forked one counts its own
    int load_pid_ = 0;  ///< process load_ was last used in: a fork may have copied it half-changed
};

}  // namespace pinwise
