#pragma once
/// What hwloc saw, as plain data: the one description of hardware that everything else works on.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "placer/topology/cpu_set.hpp"

namespace pinwise {

/// One Linux logical CPU (hwloc PU). Indices other than os_index are positions in Machine's vectors.
struct Pu {
    int os_index = 0;
    int core = 0;
    int llc = 0;
    int package = 0;
    std::optional<int> node;  ///< OS index of the NUMA node it belongs to; absent when the firmware names none
    int smt_rank = 0;         ///< 0 for the first PU of its core, 1 for its first sibling, ...
    int efficiency = 0;       ///< hwloc's CPU kind, higher is faster; 0 everywhere on a machine with one kind
};

struct Core {
    CpuSet cpus;
};

/// Outermost CPU cache of a PU, keyed by its CPU set, never by an id. A memory-side cache is not one.
struct Llc {
    int level = 0;  ///< 3 for an L3, 2 for an L2, ...; 0 where no cache is reported (then one Llc per core)
    std::uint64_t size_bytes = 0;
    CpuSet cpus;
};

/// A NUMA node: memory with a number. CPU nodes and memory nodes are two different sets.
struct Node {
    int os_index = 0;
    CpuSet cpus;        ///< CPUs that belong to the node; empty for memory-only nodes (CXL, HBM, GPU memory)
    CpuSet local_cpus;  ///< CPUs this memory is closest to: equal to `cpus` on a node that has CPUs
    std::uint64_t memory_bytes = 0;  ///< 0: none, or not recorded; see Machine::memory_nodes()
};

struct Package {
    CpuSet cpus;
};

/// SLIT distances, row-major over `nodes` (OS indices). Both empty when the firmware gives none.
struct Distances {
    std::vector<int> nodes;
    std::vector<int> values;
    /// Distance from node `from` to node `to` (OS indices), absent when unknown.
    [[nodiscard]] std::optional<int> between(int from, int to) const;
};

struct Machine {
    std::string source;         ///< "live", the XML file's name, or the synthetic string
    std::string cpu_model;      ///< empty when unknown
    int reclaim_distance = 30;  ///< node_reclaim_distance: NUMA levels beyond it do not balance at fork (32 on AMD Zen)
    std::vector<Pu> pus;        ///< online PUs in ascending os_index
    std::vector<Core> cores;
    std::vector<Llc> llcs;
    std::vector<Package> packages;
    std::vector<Node> nodes;  ///< ascending os_index
    Distances distances;
    CpuSet online;
    CpuSet offline;  ///< known to the firmware or the kernel, but not online
    CpuSet allowed;  ///< online CPUs this process may use: cpuset and affinity of the live machine

    /// The PU with that OS index, nullptr when absent or offline.
    [[nodiscard]] const Pu* pu(int os_index) const;
    /// The node with that OS index, nullptr when absent.
    [[nodiscard]] const Node* node(int os_index) const;
    /// OS indices of the nodes that memory can be bound to, whether they have CPUs or not (CXL, HBM, GPU memory). A
    /// node of 0 bytes has no memory, unless no node of the machine has a size: then sizes were not recorded, and every
    /// node counts.
    [[nodiscard]] CpuSet memory_nodes() const;
};

/// Whether the parts agree with each other: every online CPU is one Pu in exactly the core, LLC, package and node that
/// hold it, positions exist, numbers are at most max_cpu_number, no set leaves `online`, the distances are a square.
/// What comes from a file or from memory that others write is checked with this before it is used.
bool is_consistent(const Machine& machine);

}  // namespace pinwise
