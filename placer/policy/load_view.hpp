#pragma once
/// Runnable threads per CPU, and their sums per sched group kept up to date: adding or removing a thread costs the
/// number of groups that contain the CPU, reading a sum costs nothing.

#include <cstdint>
#include <span>
#include <vector>

#include "placer/domain/domain_tree.hpp"
#include "placer/topology/cpu_set.hpp"

namespace pinwise {

/// Stand-in for the kernel's per-entity load tracking, which a userspace model does not have.
enum class LoadModel {
    fresh,      ///< threads were just created: each adds half of the CPU's remaining utilisation, and 512 runnable
    saturated,  ///< threads have run for long: a busy CPU is fully utilised, each thread adds 1024 runnable
};

/// Sums over the CPUs of a group. Utilisation and runnable in the kernel's unit (1024 = one CPU, busy).
struct GroupLoad {
    int idle_cpus = 0;
    int running = 0;
    std::int64_t util = 0;
    std::int64_t runnable = 0;
    std::int64_t load = 0;  ///< 1024 a thread of nice 0
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
    /// The same sums over the CPUs of the group that are also in `allowed` (the kernel's statistics since 6.19).
    [[nodiscard]] GroupLoad group_within(int index, const CpuSet& allowed) const;
    [[nodiscard]] std::int64_t cpu_load(int cpu) const { return 1024LL * nr_running(cpu); }

private:
    void count(int cpu, int change);

    const DomainTree* tree_;
    LoadModel model_;
    std::vector<int> nr_running_;
    std::vector<GroupLoad> groups_;
};

}  // namespace pinwise
