#pragma once
/// Where a program's pages go when nothing in the program says otherwise: the task memory policy of set_mempolicy(2),
/// which threads and processes inherit.

#include <string>
#include <string_view>

#include "placer/result.hpp"
#include "placer/topology/cpu_set.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise {

enum class MemoryMode {
    first_touch,          ///< the node of the CPU that first touches the page: what Linux does by default
    interleave,           ///< page by page round the nodes
    weighted_interleave,  ///< the same in the proportions of /sys/kernel/mm/mempolicy/weighted_interleave (Linux 6.9)
    bind,                 ///< these nodes and no others
    preferred,            ///< one node while it has free memory
};

struct MemoryPolicy {
    MemoryMode mode = MemoryMode::first_touch;
    CpuSet nodes;  ///< NUMA nodes by OS index; empty: of first_touch, and where the user leaves the choice to us

    /// As the user writes it: "interleave:0,1".
    [[nodiscard]] std::string name() const;
};

/// `first-touch`, `interleave[:NODES]`, `weighted-interleave[:NODES]`, `bind:NODES`, `preferred:NODE`; NODES has the
/// grammar of a CPU list. Errors (usage): anything else, and the nearest mode.
Result<MemoryPolicy> parse_memory_policy(std::string_view text);

/// The same with its nodes known. Errors (usage): nodes that do not exist, have no memory, or are not among
/// `mems_allowed`.
Result<MemoryPolicy> resolve_memory_policy(MemoryPolicy policy, const Machine& machine, const CpuSet& mems_allowed);

/// Nodes the calling process may allocate from (Mems_allowed_list of /proc/self/status); empty when it does not say.
CpuSet allowed_memory_nodes();

/// "0-3" of a line "Mems_allowed_list:\t0-3" in the text of a status file; empty when it is not there.
std::string_view find_mems_allowed(std::string_view status);

}  // namespace pinwise
