#pragma once
/// CG's problem sizes and official results.

#include <cstdint>

#include "workloads/npb/common/problem_class.hpp"
#include "workloads/npb/common/verification.hpp"

namespace pinwise::npb::cg {

struct Problem {
    std::size_t rows = 0;
    std::size_t nonzeros_per_vector = 0;  ///< NPB's nonzer, of the random vectors that the matrix is made of
    int iterations = 0;
    double shift = 0;

    /// NPB's count of floating-point operations of the timed region.
    [[nodiscard]] double operations() const;
};

/// Steps of the conjugate gradient method in each iteration.
inline constexpr int inner_steps = 25;

Problem problem_of(ProblemClass problem_class);

/// The last estimate of the eigenvalue.
Check check_of(ProblemClass problem_class, double zeta);

}  // namespace pinwise::npb::cg
