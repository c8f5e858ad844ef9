#pragma once
/// SP, scalar pentadiagonal: the CFD problem by alternating directions in characteristic variables, five scalar systems
/// along every line.

#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb::sp {

const Kernel& kernel();

}  // namespace pinwise::npb::sp
