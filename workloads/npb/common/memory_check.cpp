#include "workloads/npb/common/memory_check.hpp"

#include <fmt/core.h>

#include "workloads/common/size_text.hpp"

namespace pinwise::npb {

workloads::Expected<void> check_memory(ProblemClass problem_class, std::uint64_t needed_bytes,
                                       const workloads::MemoryAvailable& available) {
    if (needed_bytes <= available.bytes) return {};
    return workloads::users_mistake(fmt::format(
        "--class {}: it needs {}, but {} is available ({}); choose a smaller class", to_string(problem_class),
        workloads::bytes_text(needed_bytes), workloads::bytes_text(available.bytes), available.limited_by));
}

}  // namespace pinwise::npb
