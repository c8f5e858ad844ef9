#pragma once
/// Which threads leave their node, and which go home. Pure: node loads and threads in, moves out.
///
/// Every thread has a home node: where it was first placed, and where its pages are. It leaves only for exceptional
/// load, leaves last where foreign threads share its node, and returns when that load is gone (after the home node
/// patches of E. Focht, 2002 and 2003).

#include <span>
#include <vector>

#include "placer/balance/balance_move.hpp"
#include "placer/policy/node_loads.hpp"
#include "placer/topology/cpu_set.hpp"

namespace pinwise {

struct BalancedThread {
    int thread = 0;         ///< order of creation
    int home = 0;           ///< node numbers as in NodeLoads
    int node = 0;           ///< where it is kept now
    bool runnable = false;  ///< counts in the load of `node`
    bool settled = false;   ///< has been there for long enough to be moved
    CpuSet nodes;           ///< those it may use at all; holds `home`
};

struct NodeMove {
    std::size_t position = 0;  ///< of the thread in what decide_moves() was given
    int from = 0;
    int to = 0;
    MoveReason reason = MoveReason::busiest;
    NodeState from_state;  ///< before the move
    NodeState to_state;
};

/// One round: threads go home where that is possible, alone or in exchange, then each node in ascending order takes
/// threads from the busiest one. `loads` holds this round's sample, and follows the moves. No thread moves twice.
std::vector<NodeMove> decide_moves(NodeLoads& loads, std::span<const BalancedThread> threads, int cross_node_bal);

}  // namespace pinwise
