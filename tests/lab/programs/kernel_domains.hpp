#pragma once
/// The sched domains of the running kernel, and the model's in the same terms.

#include <string>
#include <vector>

#include "placer/domain/domain_tree.hpp"
#include "placer/topology/cpu_set.hpp"

namespace pinwise::lab {

struct KernelDomain {
    CpuSet span;
    bool balances_fork = false;  ///< SD_BALANCE_FORK
};

/// Per CPU its domains, smallest first. Spans are those of /proc/schedstat, flags those of debugfs (5.11 and later) or
/// of /proc/sys/kernel/sched_domain. Empty when the kernel does not show them; needs root, and on newer kernels
/// /sys/kernel/debug/sched/verbose set.
std::vector<std::vector<KernelDomain>> read_kernel_domains();

/// What DomainTree says of the CPU.
std::vector<KernelDomain> model_domains(const DomainTree& tree, int cpu);

/// "0-1 0-15 0-31(no fork)"
std::string to_text(const std::vector<KernelDomain>& domains);

}  // namespace pinwise::lab
