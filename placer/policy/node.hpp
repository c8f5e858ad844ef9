#pragma once
/// Round-robin over nodes: each thread to the node with the fewest, whatever its size, as long as it has an idle CPU;
/// the lower node of equals. When no CPU is idle, to the node with the fewest threads per allowed CPU.
///
/// Inside the node the first LLC that offers the best (idle core, idle SMT sibling, the least loaded), in it the best
/// core as for `llc`: threads of a node stay close to each other.

#include "placer/policy/policy.hpp"

namespace pinwise {

class NodePolicy final : public PlacementPolicy {
public:
    [[nodiscard]] std::string name() const override { return "node"; }
    [[nodiscard]] bool places_initial_thread() const override { return true; }
    int select(const PlacementQuery& query, std::vector<PlacementStep>* why) const override;
};

}  // namespace pinwise
