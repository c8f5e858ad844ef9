#pragma once
/// SP's problem classes and official results.

#include <span>

#include "workloads/npb/cfd/time_steps.hpp"

namespace pinwise::npb::sp {

/// By class, S first.
std::span<const cfd::ProblemRow> problem_rows();

}  // namespace pinwise::npb::sp
