#pragma once
/// Values of a `[[matrix]]` table that stand for one value per NUMA node, so that one config measures every node
/// against every memory on any machine. Pure.

#include <string_view>

#include "placer/result.hpp"
#include "placer/topology/cpu_set.hpp"
#include "placer/topology/machine.hpp"
#include "runner/config/experiment.hpp"

namespace pinwise {

/// As `cpus`: "node:0", "node:1", ... of every node with an allowed CPU.
inline constexpr std::string_view cpus_of_each_node = "each-node";
/// As `memory`: "bind:0", "bind:1", ... of every node with memory, nodes without CPUs included.
inline constexpr std::string_view memory_of_each_node = "bind:each-node";

/// The experiment with both replaced. `mems_allowed`: nodes the process may allocate from, empty when not known. A
/// machine with no such node is a usage error `file:line: ...`.
Result<Experiment> with_each_node(Experiment experiment, const Machine& machine, const CpuSet& mems_allowed);

}  // namespace pinwise
