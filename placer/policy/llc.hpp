#pragma once
/// One thread per LLC: for programs limited by memory bandwidth or cache.
///
/// Of the LLCs with something to offer (an idle core as long as the machine has one, then an idle SMT sibling, then a
/// shared CPU) the first by: nothing running in the whole LLC; its node the least loaded by allowed capacity; itself
/// the least loaded by allowed capacity; the faster cores; the more cores; farthest-first within its node; the lower
/// node. In it the idle core, faster cores first, then the lowest number; in the core the idle CPU.

#include "placer/policy/policy.hpp"

namespace pinwise {

class LlcPolicy final : public PlacementPolicy {
public:
    [[nodiscard]] std::string name() const override { return "llc"; }
    [[nodiscard]] bool places_initial_thread() const override { return true; }
    int select(const PlacementQuery& query, std::vector<PlacementStep>* why) const override;
};

}  // namespace pinwise
