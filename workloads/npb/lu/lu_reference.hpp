#pragma once
/// LU's problem classes and official results.

#include <span>

#include "workloads/npb/cfd/time_steps.hpp"

namespace pinwise::npb::lu {

/// By class, S first.
std::span<const cfd::ProblemRow> problem_rows();

/// Official value of the surface integral.
double surface_integral_of(ProblemClass problem_class);

}  // namespace pinwise::npb::lu
