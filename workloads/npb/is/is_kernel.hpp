#pragma once
/// IS, "integer sort": the rank of every key of a long sequence, by counting.

#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb::is {

const Kernel& kernel();

}  // namespace pinwise::npb::is
