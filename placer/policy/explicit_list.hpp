#pragma once
/// The user's own list: thread i on the i-th CPU, from the front again where the list is shorter.

#include <vector>

#include "placer/policy/policy.hpp"

namespace pinwise {

class ExplicitListPolicy final : public PlacementPolicy {
public:
    /// `cpus` in the user's order, never empty.
    explicit ExplicitListPolicy(std::string list, std::vector<int> cpus)
        : list_(std::move(list)), cpus_(std::move(cpus)) {}

    [[nodiscard]] std::string name() const override { return "explicit:" + list_; }
    [[nodiscard]] bool places_initial_thread() const override { return true; }
    [[nodiscard]] Result<void> check(const CpuSet& allowed) const override;
    int select(const PlacementQuery& query, std::vector<PlacementStep>* why) const override;

private:
    std::string list_;
    std::vector<int> cpus_;
};

}  // namespace pinwise
