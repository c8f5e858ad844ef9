#pragma once
/// The node a new thread begins on when a balancer will keep it there. Pure.

#include "placer/policy/policy.hpp"

namespace pinwise {

/// `chosen` is what the policy has chosen for the thread. It stays so unless the balancer would at once drive a thread
/// from its node: the node is crowded, and another one, which the thread may use, is so much less loaded that it would
/// take it (node_loads.hpp). Then the idlest allowed CPU of the least loaded such node: a thread that has to live away
/// had better be at home there. `session` are the CPUs whose load counts.
int home_cpu(const PlacementQuery& query, const CpuSet& session, int chosen, int cross_node_bal);

}  // namespace pinwise
