#pragma once
/// The classes of MG and what each must give.

#include <array>
#include <cstddef>

#include "workloads/npb/common/problem_class.hpp"
#include "workloads/npb/mg/sweeps.hpp"

namespace pinwise::npb::mg {

struct Problem {
    std::size_t n = 0;  ///< points per dimension of the finest level
    int cycles = 0;     ///< timed V-cycles ("nit")
    Weights smoother;
    double residual_norm = 0;  ///< official value after the last cycle ("rnm2")
};

/// Largest relative error of the norm that passes.
inline constexpr double tolerance = 1e-8;

/// Classes S to F, in the order of ProblemClass. Norms as published with NPB 3.
inline constexpr std::array<Problem, 8> problems{{
    {32, 4, smoother_a, 0.5307707005734e-04},
    {128, 4, smoother_a, 0.6467329375339e-05},
    {256, 4, smoother_a, 0.2433365309069e-05},
    {256, 20, smoother_b, 0.1800564401355e-05},
    {512, 20, smoother_b, 0.5706732285740e-06},
    {1024, 50, smoother_b, 0.1583275060440e-09},
    {2048, 50, smoother_b, 0.5630442584711e-10},
    {4096, 50, smoother_b, 0.1889225697989e-10},
}};

constexpr const Problem& problem_of(ProblemClass problem_class) {
    return problems.at(static_cast<std::size_t>(problem_class));
}

/// NPB's count: 58 operations a point and cycle.
constexpr double operations(const Problem& problem) {
    const auto n = static_cast<double>(problem.n);
    return 58.0 * problem.cycles * n * n * n;
}

}  // namespace pinwise::npb::mg
