#pragma once
/// OpenMP's proc_bind(spread) over the allowed mask, one thread at a time: each on the free place that is farthest from
/// the taken ones.
///
/// Places are the allowed cores, in the order of CpuHierarchy (node, LLC, core), and the list goes round. OpenMP cuts
/// the list into T equal parts knowing T; a thread that is created today does not know how many follow. So each thread
/// goes into the middle of the longest stretch of free places, the first such stretch after its creator's place. For T
/// a power of two that divides the number of places, the places taken are the ones OpenMP takes with OMP_PLACES=cores;
/// neighbouring thread numbers are far apart, not next to each other. When every core has a thread, the same goes on
/// with the SMT siblings, then with shared CPUs.

#include "placer/policy/policy.hpp"

namespace pinwise {

class SpreadPolicy final : public PlacementPolicy {
public:
    [[nodiscard]] std::string name() const override { return "spread"; }
    int select(const PlacementQuery& query, std::vector<PlacementStep>* why) const override;
};

}  // namespace pinwise
