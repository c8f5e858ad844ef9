#pragma once
/// The scheduler's view of a machine: for each CPU its chain of sched domains, and the groups balanced in each.
///
/// Model of Linux 5.5 to 7.x on x86 (kernel/sched/topology.c, imb_numa_nr of commits e496132ebedd and 026b98a93bbd):
/// SMT, MC (the LLC), PKG and NODE (the CPUs of a NUMA node), then one NUMA domain per distance. PKG is left out where
/// nodes lie inside a package. A level is clipped to the NUMA node. Degenerate levels are removed after imb_numa_nr was
/// computed. Not modelled: CLUSTER (cores that share an L2 below the LLC) and unequal capacities of hybrid cores.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/domain/cpu_hierarchy.hpp"
#include "placer/topology/cpu_set.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

enum class DomainLevel { smt, mc, pkg, node, numa };

std::string_view to_string(DomainLevel level);

/// A set of CPUs that is balanced as one. Groups are unique by span and shared between domains.
struct SchedGroup {
    CpuSet span;
    int weight = 0;
};

/// Threads that may stay on the local node before spreading, in both published forms: they differ where a node has
/// one LLC.
struct ImbNumaNr {
    int quarter = 0;  ///< node weight >> 2: Linux 5.18 and 5.19
    int eighth = 0;   ///< max(1, node weight >> 3): Linux 6.0 and later
};

struct SchedDomain {
    DomainLevel level = DomainLevel::smt;
    int numa_distance = 0;      ///< SLIT distance of a NUMA level, else 0
    bool is_numa = false;       ///< SD_NUMA: built from distances. NODE is not
    bool shares_llc = false;    ///< all CPUs of the domain share the LLC
    bool balances_fork = true;  ///< SD_BALANCE_FORK: false beyond the reclaim distance
    int imbalance_pct = 117;
    ImbNumaNr imb_numa_nr;
    int span = 0;  ///< index into DomainTree::groups()
    /// "SMT", "MC", "PKG", "NODE", "NUMA(32)"
    [[nodiscard]] std::string name() const;
};

class DomainTree {
public:
    /// Never fails: machines without LLCs, nodes or distances get the levels they have. A machine with several nodes
    /// and no distance matrix is given 10 / 12 (same package) / 20.
    static DomainTree build(const Machine& machine);

    /// Domains of a CPU, bottom up, as indices into domains(). Empty for a CPU that is not online.
    [[nodiscard]] std::span<const int> domains_of(int cpu) const;
    /// Groups of the k-th domain of `cpu` in ring order: the local group first, then by first CPU ascending from `cpu`
    /// with wrap-around. Indices into groups().
    [[nodiscard]] std::span<const int> ring(int cpu, int level_index) const;
    /// Every group that contains `cpu`.
    [[nodiscard]] std::span<const int> groups_of(int cpu) const;

    [[nodiscard]] const SchedDomain& domain(int index) const { return domains_[static_cast<std::size_t>(index)]; }
    [[nodiscard]] const SchedGroup& group(int index) const { return groups_[static_cast<std::size_t>(index)]; }
    [[nodiscard]] std::span<const SchedDomain> domains() const { return domains_; }
    [[nodiscard]] std::span<const SchedGroup> groups() const { return groups_; }

    /// The same machine as nested places, for the policies that do not follow the kernel.
    [[nodiscard]] const CpuHierarchy& hierarchy() const { return hierarchy_; }

    [[nodiscard]] const CpuSet& cpus() const { return cpus_; }
    /// One more than the highest CPU number.
    [[nodiscard]] int cpu_limit() const { return static_cast<int>(places_.size()); }
    /// OS index of the node of an online CPU; -1: in no node.
    [[nodiscard]] int node_of(int cpu) const { return places_[static_cast<std::size_t>(cpu)].node; }
    /// Index of its LLC in Machine::llcs.
    [[nodiscard]] int llc_of(int cpu) const { return places_[static_cast<std::size_t>(cpu)].llc; }
    [[nodiscard]] int core_of(int cpu) const { return places_[static_cast<std::size_t>(cpu)].core; }

private:
    friend class DomainTreeBuilder;

    struct Place {
        int node = -1;
        int llc = -1;
        int core = -1;
        int first_domain = 0;  // into chain_
        int domain_count = 0;
        int first_group = 0;  // into groups_of_
        int group_count = 0;
    };
    struct Ring {
        int first = 0;  // into ring_
        int count = 0;
    };

    std::vector<SchedDomain> domains_;
    std::vector<SchedGroup> groups_;
    std::vector<Place> places_;
    std::vector<int> chain_;   // per CPU: its domains, bottom up
    std::vector<Ring> rings_;  // parallel to chain_
    std::vector<int> ring_;
    std::vector<int> groups_of_;
    CpuHierarchy hierarchy_;
    CpuSet cpus_;
};

}  // namespace pinwise
