#include "placer/policy/home_cpu.hpp"

#include <map>
#include <vector>

#include "placer/policy/node_loads.hpp"

namespace pinwise {

namespace {

int running_on(const LoadView& load, const CpuSet& cpus) {
    int running = 0;
    for (const int cpu : cpus.to_vector())
        running += load.nr_running(cpu);
    return running;
}

int idlest_of(const LoadView& load, const CpuSet& cpus) {
    int best = cpus.first();
    for (const int cpu : cpus.to_vector())
        if (load.nr_running(cpu) < load.nr_running(best)) best = cpu;
    return best;
}

}  // namespace

int home_cpu(const PlacementQuery& query, const CpuSet& session, int chosen, int cross_node_bal) {
    const int node = chosen >= 0 ? query.tree.node_of(chosen) : -1;
    if (node < 0) return chosen;
    std::map<int, CpuSet> cpus_of_node;
    for (const int cpu : session.to_vector())
        if (query.tree.node_of(cpu) >= 0) cpus_of_node[query.tree.node_of(cpu)].set(cpu);
    std::vector<CpuSet> nodes;
    std::vector<int> counts;
    std::vector<int> running;
    int here = -1;
    for (const auto& [id, cpus] : cpus_of_node) {
        if (id == node) here = static_cast<int>(nodes.size());
        nodes.push_back(cpus);
        counts.push_back(cpus.count());
        running.push_back(running_on(query.load, cpus) + (id == node ? 1 : 0));
    }
    NodeLoads loads(counts);
    loads.sample(running);
    if (here < 0 || !loads.is_crowded(here)) return chosen;
    int best = -1;
    for (int other = 0; other < loads.count(); ++other) {
        const bool takes_it = loads.busiest(other, cross_node_bal) == here && loads.evens_out(here, other);
        if (!takes_it || (nodes[static_cast<std::size_t>(other)] & query.allowed).empty()) continue;
        if (best < 0 || loads.is_less_crowded(other, best)) best = other;
    }
    return best < 0 ? chosen : idlest_of(query.load, nodes[static_cast<std::size_t>(best)] & query.allowed);
}

}  // namespace pinwise
