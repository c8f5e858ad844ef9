#pragma once
/// EP's problem sizes and official results.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/npb/common/problem_class.hpp"
#include "workloads/npb/common/verification.hpp"
#include "workloads/npb/ep/gaussian_pairs.hpp"

namespace pinwise::npb::ep {

struct Problem {
    unsigned log2_pairs = 0;

    [[nodiscard]] std::uint64_t pairs() const { return std::uint64_t{1} << log2_pairs; }
    [[nodiscard]] std::uint64_t batches() const { return pairs() / batch_pairs; }
};

Problem problem_of(ProblemClass problem_class);

/// Sums of deviates by both of NPB's rules and the number of pairs: signed up to NPB 3.4.1, absolute from 3.4.2. Class
/// F has no signed sums here: its official ones are not plausible.
std::vector<Check> checks_of(ProblemClass problem_class, const PairTally& tally);

}  // namespace pinwise::npb::ep
