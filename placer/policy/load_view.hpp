#pragma once
/// Runnable threads per CPU, and their sums per sched group kept up to date: adding or removing a thread costs the
/// number of groups that contain the CPU, reading a sum costs nothing.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "placer/domain/domain_tree.hpp"
#include "placer/topology/cpu_set.hpp"

namespace pinwise {

/// Stand-in for the kernel's per-entity load tracking, which a userspace model does not have.
enum class LoadModel {
    fresh,      ///< threads were just created: each adds half of the CPU's remaining utilisation, and 512 runnable
    saturated,  ///< threads have run for long: a busy CPU is fully utilised, each thread adds 1024 runnable
};

/// "fresh", "saturated"
std::string_view to_string(LoadModel model);

/// Sums over the CPUs of a group. Utilisation and runnable in the kernel's unit (1024 = one CPU, busy).
struct GroupLoad {
    int idle_cpus = 0;
    int running = 0;
    std::int64_t util = 0;
    std::int64_t runnable = 0;
    std::int64_t load = 0;  ///< 1024 a thread of nice 0
};

/// The same of a group's CPUs that are in a mask, and what the mask leaves of the group.
struct MaskedGroupLoad {
    GroupLoad load;
    int allowed_cpus = 0;
    int allowed_cores = 0;  ///< cores with an allowed CPU; counted in groups that hold whole cores
    int idle_cores = 0;     ///< of these, those where nothing runs, not on a CPU outside of the mask either
};

/// A core that has an allowed CPU.
struct CoreLoad {
    int core = 0;     ///< position in CpuHierarchy::cores
    int allowed = 0;  ///< its allowed CPUs
    int idle = 0;     ///< of these, those where nothing runs
    int running = 0;  ///< threads on all of its CPUs, allowed or not
};

/// Sums within one mask, kept up to date by the LoadView they belong to.
class MaskedLoad {
public:
    [[nodiscard]] const MaskedGroupLoad& group(int index) const { return groups_[static_cast<std::size_t>(index)]; }
    /// Allowed CPUs with nothing running.
    [[nodiscard]] const CpuSet& idle() const { return idle_; }
    /// The cores with an allowed CPU, in the order of CpuHierarchy::cores.
    [[nodiscard]] std::span<const CoreLoad> cores() const { return cores_; }
    /// Position in cores() of a core (position in CpuHierarchy::cores), or of the next one that is there;
    /// cores().size() after the last one.
    [[nodiscard]] std::size_t position_of(int core) const { return positions_[static_cast<std::size_t>(core)]; }

private:
    friend class LoadView;
    CpuSet mask_;
    CpuSet idle_;
    std::vector<MaskedGroupLoad> groups_;
    std::vector<CoreLoad> cores_;
    std::vector<std::size_t> positions_;
};

class LoadView {
public:
    /// All CPUs idle. `tree` must outlive the view.
    explicit LoadView(const DomainTree& tree, LoadModel model = LoadModel::fresh);

    void add(int cpu);
    void remove(int cpu);
    /// Back to all idle.
    void reset();

    [[nodiscard]] int nr_running(int cpu) const { return nr_running_[static_cast<std::size_t>(cpu)]; }
    [[nodiscard]] bool idle(int cpu) const { return nr_running(cpu) == 0; }
    [[nodiscard]] const GroupLoad& group(int index) const { return groups_[static_cast<std::size_t>(index)]; }
    /// The sums over the CPUs that are also in `allowed` (the kernel's statistics since 6.19). The view keeps those of
    /// the last mask it was asked for: they cost nothing while the mask stays the same, and one pass over the mask when
    /// it changes. Valid until the next call. Never allocates for a mask of online CPUs.
    const MaskedLoad& within(const CpuSet& allowed) const;
    [[nodiscard]] std::int64_t cpu_load(int cpu) const { return 1024LL * nr_running(cpu); }

private:
    void count(int cpu, int change);
    void count_within_mask(int cpu, const GroupLoad& change);
    void count_core(int cpu, int change);
    void sum_within_mask() const;
    void sum_cores() const;

    const DomainTree* tree_;
    LoadModel model_;
    std::vector<int> nr_running_;
    std::vector<GroupLoad> groups_;
    mutable MaskedLoad masked_;  ///< a cache: what it holds follows from the rest
};

}  // namespace pinwise
