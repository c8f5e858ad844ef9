#pragma once
/// What a balancer did. Plain data.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinwise {

enum class MoveReason {
    busiest,   ///< its node was the busiest, and crowded
    home,      ///< the load that had driven it away is gone
    exchange,  ///< threads on one another's home nodes went home together: no load changed
};

std::string_view to_string(MoveReason reason);

/// What was known of a node when a move was decided.
struct NodeState {
    int load = 0;
    int running = 0;
    int cpus = 0;
};

/// One move that was made. Nodes are OS indices.
struct BalanceMove {
    std::int64_t time_ns = 0;  ///< CLOCK_MONOTONIC
    int thread = 0;            ///< order of creation in the session
    int pid = 0;
    int tid = 0;
    std::string name;
    int home_node = 0;
    int from_node = 0;
    int to_node = 0;
    int cpu = 0;  ///< the idlest of the new node, or at home the one it was placed on
    MoveReason reason = MoveReason::busiest;
    NodeState from;
    NodeState to;
};

struct BalanceSummary {
    std::int64_t left = 0;      ///< moves off a node because it was the busiest
    std::int64_t returned = 0;  ///< moves home, exchanges included
    int away = 0;               ///< threads that were not on their home node at the last look, or at their end
};

struct BalanceRecord {
    std::vector<BalanceMove> moves;
    BalanceSummary summary;
};

}  // namespace pinwise
