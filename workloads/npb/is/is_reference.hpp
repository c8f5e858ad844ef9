#pragma once
/// IS's problem sizes and the official ranks.

#include <array>
#include <cstdint>

#include "workloads/npb/common/problem_class.hpp"

namespace pinwise::npb::is {

/// From S to E: there is no class F.
inline constexpr std::array<ProblemClass, 7> classes{ProblemClass::s, ProblemClass::w, ProblemClass::a, ProblemClass::b,
                                                     ProblemClass::c, ProblemClass::d, ProblemClass::e};

inline constexpr int iterations = 10;
inline constexpr std::size_t probes = 5;

struct Problem {
    unsigned log2_keys = 0;
    unsigned log2_max_key = 0;
    std::array<std::uint64_t, probes> probe_indices{};  ///< positions of the keys whose ranks are known

    [[nodiscard]] std::uint64_t keys() const { return std::uint64_t{1} << log2_keys; }
    [[nodiscard]] std::uint64_t max_key() const { return std::uint64_t{1} << log2_max_key; }  ///< keys are below it
};

Problem problem_of(ProblemClass problem_class);

/// Number of keys smaller than the probe's key in iteration 1 … 10.
std::uint64_t expected_rank(ProblemClass problem_class, std::size_t probe, int iteration);

}  // namespace pinwise::npb::is
