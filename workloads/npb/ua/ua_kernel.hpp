#pragma once
/// UA, "unstructured adaptive": irregular and changing memory access.

#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb::ua {

const Kernel& kernel();

}  // namespace pinwise::npb::ua
