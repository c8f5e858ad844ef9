#pragma once
/// LU: the CFD problem by symmetric successive over-relaxation, a lower and an upper triangular sweep a step.

#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb::lu {

const Kernel& kernel();

}  // namespace pinwise::npb::lu
