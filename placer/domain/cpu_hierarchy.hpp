#pragma once
/// The machine as nested places, the order in which the spreading policies walk it: NUMA nodes, in each the LLCs, in
/// each the cores.
///
/// Nodes are in ascending number (CPUs in no node last), LLCs and cores in ascending lowest CPU. An LLC that spans
/// nodes is one place per node. Every CPU is in exactly one core, every core in one LLC place, every LLC place in one
/// node.

#include <vector>

namespace pinwise {

/// A core, clipped to its LLC place. Groups are indices into DomainTree::groups().
struct CorePlace {
    int group = 0;
    int llc = 0;         ///< position in CpuHierarchy::llcs
    int first_cpu = 0;   ///< its lowest CPU
    int efficiency = 0;  ///< as Pu::efficiency: higher is faster
};

/// The part of an LLC inside one node.
struct LlcPlace {
    int group = 0;
    int whole_llc_group = 0;  ///< the entire LLC, all nodes; the same as `group` where it lies in one node
    int node = 0;             ///< position in CpuHierarchy::nodes
    int first_core = 0;       ///< its cores are neighbours in CpuHierarchy::cores
    int core_count = 0;
    int spread_rank = 0;  ///< place among the LLCs of its node when each next one is as far as possible from the others
};

struct NodePlace {
    int group = 0;
    int first_llc = 0;  ///< its LLC places are neighbours in CpuHierarchy::llcs
    int llc_count = 0;
};

struct CpuHierarchy {
    int machine_group = 0;  ///< all CPUs
    bool hybrid = false;    ///< cores differ in efficiency
    std::vector<NodePlace> nodes;
    std::vector<LlcPlace> llcs;
    std::vector<CorePlace> cores;
    std::vector<int> core_of_cpu;  ///< per CPU number: position in `cores`, -1 for a CPU that is not online
};

/// What nest_places() must know of one CPU. The lowest CPU of a place is its key.
struct CpuPlaces {
    int cpu = 0;
    int node_number = -1;  ///< -1: in no node
    int llc_first_cpu = 0;
    int core_first_cpu = 0;
    int efficiency = 0;
    int node_group = 0;
    int llc_group = 0;
    int whole_llc_group = 0;
    int core_group = 0;
};

/// One CpuPlaces per online CPU, in any order. `cpu_limit` is one more than the highest CPU number.
CpuHierarchy nest_places(std::vector<CpuPlaces> cpus, int machine_group, int cpu_limit);

/// The ranks of `count` neighbours when they are taken farthest first: 0, then the middle, then the quarters (the
/// van der Corput sequence in base 2). Entry i is the rank of neighbour i; for 8: 0 4 2 6 1 5 3 7.
std::vector<int> farthest_first_ranks(int count);

}  // namespace pinwise
