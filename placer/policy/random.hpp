#pragma once
/// Uniformly random over the allowed CPUs: the floor of a comparison, what placement is worth without any thought.
///
/// Thread i's CPU is a function of the seed, i and the mask alone; threads may share a CPU, as independent draws do.

#include <cstdint>

#include "placer/policy/policy.hpp"

namespace pinwise {

class RandomPolicy final : public PlacementPolicy {
public:
    RandomPolicy(std::string name, std::uint64_t seed) : name_(std::move(name)), seed_(seed) {}

    [[nodiscard]] std::string name() const override { return name_; }
    [[nodiscard]] bool places_initial_thread() const override { return true; }
    int select(const PlacementQuery& query, std::vector<PlacementStep>* why) const override;

private:
    std::string name_;
    std::uint64_t seed_;
};

}  // namespace pinwise
