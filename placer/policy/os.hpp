#pragma once
/// The control of every comparison: the kernel decides.

#include "placer/policy/policy.hpp"

namespace pinwise {

class OsPolicy final : public PlacementPolicy {
public:
    [[nodiscard]] std::string name() const override { return "os"; }
    [[nodiscard]] bool places_threads() const override { return false; }
    /// Never called, see places_threads().
    int select(const PlacementQuery& query, std::vector<PlacementStep>* why) const override;
};

}  // namespace pinwise
