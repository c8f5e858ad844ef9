#pragma once
/// OpenMP's proc_bind(close) over the allowed mask: each thread on the next place after its creator's.
///
/// Places are the allowed cores, in the order of CpuHierarchy (node, LLC, core), and the list goes round. OpenMP shares
/// T threads out over P places knowing T; a thread that is created today does not know how many follow. So every core
/// gets one thread before any gets a second one on its SMT sibling, and all CPUs have one before any has two. For T <=
/// P that is OpenMP's assignment with OMP_PLACES=cores.

#include "placer/policy/policy.hpp"

namespace pinwise {

class ClosePolicy final : public PlacementPolicy {
public:
    [[nodiscard]] std::string name() const override { return "close"; }
    int select(const PlacementQuery& query, std::vector<PlacementStep>* why) const override;
};

}  // namespace pinwise
