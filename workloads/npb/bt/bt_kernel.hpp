#pragma once
/// BT, block tridiagonal: the CFD problem by alternating directions, 5×5 blocks along every line.

#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb::bt {

const Kernel& kernel();

}  // namespace pinwise::npb::bt
