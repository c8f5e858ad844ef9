#pragma once
/// MG as a kernel of NPB: V-cycles of a simple multigrid method for the Poisson equation.

#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb::mg {

/// For kernel_program().
extern const Kernel kernel;

}  // namespace pinwise::npb::mg
