#pragma once
/// Pinned-aware idlest-group spreading: the kernel's placement of a new thread, by the rule of any kernel.
///
/// Top-down walk over the sched domains of the creator's CPU: at each level stay in the local group or go to the idlest
/// group that holds an allowed CPU, then take the idlest CPU in it and go on one level below. The NUMA levels add the
/// rule of KernelRule. Model of find_idlest_group() and its callers, Linux 5.5 to 7.x; `idlest` is the rule of the 2022
/// patch
/// ("v6"). Without per-entity load tracking ties are resolved by ring order, then by CPU number.

#include <string>

#include "placer/policy/kernel_rule.hpp"
#include "placer/policy/policy.hpp"

namespace pinwise {

class IdlestPolicy final : public PlacementPolicy {
public:
    IdlestPolicy(std::string name, const KernelRule& rule) : name_(std::move(name)), rule_(&rule) {}

    [[nodiscard]] std::string name() const override { return name_; }
    int select(const PlacementQuery& query, std::vector<PlacementStep>* why) const override;

private:
    std::string name_;
    const KernelRule* rule_;
};

}  // namespace pinwise
