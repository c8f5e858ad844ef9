#include "placer/agent/kept_cpus.hpp"

#include <map>
#include <utility>

namespace pinwise {

KeptCpus::KeptCpus(const DomainTree& tree, Bind bind) : bind_(bind) {
    if (bind != Bind::llc && bind != Bind::node) return;
    set_of_cpu_.assign(static_cast<std::size_t>(tree.cpu_limit()), -1);
    std::map<std::pair<bool, int>, int> known;  // is a node, its number -> into sets_
    for (int cpu = 0; cpu < tree.cpu_limit(); ++cpu) {
        if (!tree.cpus().test(cpu)) continue;
        const bool by_node = bind == Bind::node && tree.node_of(cpu) >= 0;
        const std::pair key(by_node, by_node ? tree.node_of(cpu) : tree.llc_of(cpu));
        const auto [found, is_new] = known.try_emplace(key, static_cast<int>(sets_.size()));
        if (is_new) sets_.emplace_back();
        sets_[static_cast<std::size_t>(found->second)].set(cpu);
        set_of_cpu_[static_cast<std::size_t>(cpu)] = found->second;
    }
}

CpuMask KeptCpus::from(int cpu, const CpuMask& unbound) const {
    if (bind_ == Bind::initial) return unbound;
    const auto position = static_cast<std::size_t>(cpu);
    if (position >= set_of_cpu_.size() || set_of_cpu_[position] < 0) return CpuMask::only(cpu);
    CpuMask kept = sets_[static_cast<std::size_t>(set_of_cpu_[position])];
    kept &= unbound;
    return kept;
}

}  // namespace pinwise
