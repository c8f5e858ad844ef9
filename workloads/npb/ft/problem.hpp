#pragma once
/// The classes of FT and what each must give.

#include <complex>
#include <span>

#include "workloads/npb/common/problem_class.hpp"
#include "workloads/npb/ft/field.hpp"

namespace pinwise::npb::ft {

struct Problem {
    Extent extent;
    std::span<const std::complex<double>> checksums;  ///< official, one an iteration

    [[nodiscard]] constexpr int iterations() const { return static_cast<int>(checksums.size()); }
};

/// Largest modulus of the relative difference of a checksum that passes.
inline constexpr double tolerance = 1e-12;

/// α of ∂u/∂t = α∇²u.
inline constexpr double alpha = 1e-6;

const Problem& problem_of(ProblemClass problem_class);

/// NPB's count for all iterations and the forward transform.
double operations(const Problem& problem);

}  // namespace pinwise::npb::ft
