#pragma once
/// A placement policy: which CPU the next thread gets. Pure: no clock, no file, no state but what it is given.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placer/domain/domain_tree.hpp"
#include "placer/policy/load_view.hpp"
#include "placer/result.hpp"
#include "placer/topology/cpu_set.hpp"

namespace pinwise {

/// One question to a policy. The references must outlive the call.
struct PlacementQuery {
    const DomainTree& tree;
    const LoadView& load;
    const CpuSet& allowed;    ///< online CPUs the thread may use; never empty
    int waker = 0;            ///< CPU that executes the creation
    int thread_index = 0;     ///< 0 for the initial thread, then in order of creation
    int preferred_node = -1;  ///< NUMA balancing's preferred node of the creator; -1: none
};

/// One step of an explanation, for `pinwise place --explain`.
struct PlacementStep {
    std::string level;  ///< sched domain level, or the policy's own word
    std::string text;
};

class PlacementPolicy {
public:
    PlacementPolicy() = default;
    PlacementPolicy(const PlacementPolicy&) = delete;
    PlacementPolicy& operator=(const PlacementPolicy&) = delete;
    PlacementPolicy(PlacementPolicy&&) = delete;
    PlacementPolicy& operator=(PlacementPolicy&&) = delete;
    virtual ~PlacementPolicy() = default;

    /// As the user writes it: "idlest", "idlest@5.11", "explicit:0,2,4".
    [[nodiscard]] virtual std::string name() const = 0;
    /// False for `os`: the kernel decides, select() is not called.
    [[nodiscard]] virtual bool places_threads() const { return true; }
    /// True where the place of a thread does not depend on its creator's (`llc`, `explicit`): the initial thread is
    /// placed like any other. Elsewhere a plan leaves the initial thread on the waker CPU.
    [[nodiscard]] virtual bool places_initial_thread() const { return false; }
    /// Whether the policy can work with this mask; called once, before any select(). An explicit list that leaves the
    /// mask is a usage error.
    [[nodiscard]] virtual Result<void> check(const CpuSet& /*allowed*/) const { return {}; }
    /// The CPU for the thread, a member of query.allowed. Does not allocate when `why` is null, so that the agent may
    /// call it inside pthread_create; `why` collects the reason at each level.
    virtual int select(const PlacementQuery& query, std::vector<PlacementStep>* why) const = 0;
};

}  // namespace pinwise
