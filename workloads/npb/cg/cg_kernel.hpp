#pragma once
/// CG, "conjugate gradient": the eigenvalue of a random sparse matrix that is closest to a shift, by inverse power
/// iteration.

#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb::cg {

const Kernel& kernel();

}  // namespace pinwise::npb::cg
