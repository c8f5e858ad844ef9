#pragma once
/// UA's problem sizes and official results.

#include <array>
#include <cstddef>

#include "workloads/npb/common/problem_class.hpp"
#include "workloads/npb/common/verification.hpp"

namespace pinwise::npb::ua {

/// Classes with an official result.
inline constexpr std::array<ProblemClass, 6> classes{ProblemClass::s, ProblemClass::w, ProblemClass::a,
                                                     ProblemClass::b, ProblemClass::c, ProblemClass::d};

struct Problem {
    int finest_level = 0;
    int steps = 0;
    double source_radius = 0;
    std::size_t most_elements = 0;
    std::size_t most_mortar_points = 0;
    double temperature_integral = 0;  ///< the official result

    [[nodiscard]] double dt() const { return 0.04 / static_cast<double>(1 << finest_level); }
};

const Problem& problem_of(ProblemClass problem_class);

Check check_of(const Problem& problem, double temperature_integral);

}  // namespace pinwise::npb::ua
