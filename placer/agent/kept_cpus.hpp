#pragma once
/// Where a thread may go from the CPU it was put on (`--bind`).

#include <vector>

#include "placer/agent/cpu_mask.hpp"
#include "placer/agent/session.hpp"
#include "placer/domain/domain_tree.hpp"

namespace pinwise {

class KeptCpus {
public:
    KeptCpus(const DomainTree& tree, Bind bind);

    /// The affinity of a thread that was put on `cpu` and would have `unbound` without us: a subset of it that holds
    /// `cpu`. Does not allocate.
    [[nodiscard]] CpuMask from(int cpu, const CpuMask& unbound) const;

private:
    Bind bind_;
    std::vector<int> set_of_cpu_;  ///< into sets_; empty unless bound to an LLC or node
    std::vector<CpuMask> sets_;
};

}  // namespace pinwise
