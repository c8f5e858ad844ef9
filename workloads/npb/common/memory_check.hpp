#pragma once
/// Is there enough memory for a class? Asked before anything is allocated.

#include <cstdint>
#include <string_view>

#include "workloads/common/expected.hpp"
#include "workloads/common/memory_available.hpp"
#include "workloads/npb/common/problem_class.hpp"

namespace pinwise::npb {

/// The user's mistake, with both figures, if a class needs more than is available.
workloads::Expected<void> check_memory(ProblemClass problem_class, std::uint64_t needed_bytes,
                                       const workloads::MemoryAvailable& available);

}  // namespace pinwise::npb
