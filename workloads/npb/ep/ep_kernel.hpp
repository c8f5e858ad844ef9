#pragma once
/// EP, "embarrassingly parallel": as much arithmetic as a CPU has, and no memory.

#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb::ep {

const Kernel& kernel();

}  // namespace pinwise::npb::ep
