#include "placer/domain/domain_tree.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

namespace pinwise {

std::string_view to_string(DomainLevel level) {
    switch (level) {
        case DomainLevel::smt:
            return "SMT";
        case DomainLevel::mc:
            return "MC";
        case DomainLevel::pkg:
            return "PKG";
        case DomainLevel::node:
            return "NODE";
        case DomainLevel::numa:
            return "NUMA";
    }
    return "?";
}

std::string SchedDomain::name() const {
    return is_numa ? fmt::format("NUMA({})", numa_distance) : std::string(to_string(level));
}

std::span<const int> DomainTree::domains_of(int cpu) const {
    if (!cpus_.test(cpu)) return {};
    const Place& place = places_[static_cast<std::size_t>(cpu)];
    return std::span(chain_).subspan(static_cast<std::size_t>(place.first_domain),
                                     static_cast<std::size_t>(place.domain_count));
}

std::span<const int> DomainTree::ring(int cpu, int level_index) const {
    const Place& place = places_[static_cast<std::size_t>(cpu)];
    const Ring& ring = rings_[static_cast<std::size_t>(place.first_domain) + static_cast<std::size_t>(level_index)];
    return std::span(ring_).subspan(static_cast<std::size_t>(ring.first), static_cast<std::size_t>(ring.count));
}

std::span<const int> DomainTree::groups_of(int cpu) const {
    const Place& place = places_[static_cast<std::size_t>(cpu)];
    return std::span(groups_of_)
        .subspan(static_cast<std::size_t>(place.first_group), static_cast<std::size_t>(place.group_count));
}

/// Builds the chains level by level, first with every level ("raw"), then without the degenerate ones.
class DomainTreeBuilder {
public:
    explicit DomainTreeBuilder(const Machine& machine) : machine_(machine) {}

    DomainTree build() {
        read_places();
        read_numa_distances();
        list_levels();
        for (const Pu& pu : machine_.pus)
            build_raw_chain(pu);
        for (std::size_t level = 0; level < levels_.size(); ++level)
            build_rings(level);
        for (const Pu& pu : machine_.pus)
            build_chain(pu.os_index);
        build_hierarchy();
        build_groups_of();
        return std::move(tree_);
    }

private:
    static constexpr int orphan_node = -1;  // CPUs in no node are balanced as a node of their own
    static constexpr int local_distance = 10;
    static constexpr int same_package_distance = 12;
    static constexpr int remote_distance = 20;

    struct RawLevel {
        DomainLevel level;
        int numa_distance = 0;
    };

    struct CpuSetHash {
        std::size_t operator()(const CpuSet& set) const {
            constexpr std::size_t odd = 0x9e3779b97f4a7c15;
            std::size_t hash = 0;
            for (int index = 1; const std::uint64_t word : set.words())
                hash ^= word * odd * static_cast<std::size_t>(2 * index++ + 1);
            return hash ^ (hash >> 29);
        }
    };

    void read_places() {
        tree_.places_.resize(static_cast<std::size_t>(machine_.pus.empty() ? 0 : machine_.pus.back().os_index + 1));
        raw_spans_.resize(tree_.places_.size());
        raw_rings_.resize(tree_.places_.size());
        for (const Pu& pu : machine_.pus) {
            DomainTree::Place& place = place_of(pu.os_index);
            place.node = pu.node.value_or(orphan_node);
            place.llc = pu.llc;
            place.core = pu.core;
            tree_.cpus_.set(pu.os_index);
            node_cpus_[place.node].set(pu.os_index);
            node_packages_[place.node].insert(pu.package);
        }
    }

    DomainTree::Place& place_of(int cpu) { return tree_.places_[static_cast<std::size_t>(cpu)]; }

    [[nodiscard]] int distance(int from, int to) const {
        if (from == to) return local_distance;
        if (const auto reported = machine_.distances.between(from, to)) return *reported;
        if (from == orphan_node || to == orphan_node || !machine_.distances.nodes.empty()) return remote_distance;
        const bool same_package = node_packages_.at(from) == node_packages_.at(to);
        return same_package ? same_package_distance : remote_distance;
    }

    void read_numa_distances() {
        for (const auto& [from, from_cpus] : node_cpus_) {
            for (const auto& [to, to_cpus] : node_cpus_) {
                if (distance(from, to) > local_distance) numa_distances_.insert(distance(from, to));
            }
        }
    }

    /// x86 drops the package level where nodes lie inside a package: it would be smaller than its child.
    [[nodiscard]] bool nodes_inside_a_package() const {
        std::map<int, std::set<int>> nodes_of_package;
        for (const Pu& pu : machine_.pus) {
            if (pu.node) nodes_of_package[pu.package].insert(*pu.node);
        }
        return std::any_of(nodes_of_package.begin(), nodes_of_package.end(),
                           [](const auto& entry) { return entry.second.size() > 1; });
    }

    void list_levels() {
        levels_ = {{DomainLevel::smt}, {DomainLevel::mc}};
        if (!nodes_inside_a_package()) levels_.push_back({DomainLevel::pkg});
        levels_.push_back({DomainLevel::node});
        for (const int numa_distance : numa_distances_)
            levels_.push_back({DomainLevel::numa, numa_distance});
    }

    [[nodiscard]] CpuSet span_of(const Pu& pu, const RawLevel& level) const {
        const int node = pu.node.value_or(orphan_node);
        const CpuSet& node_cpus = node_cpus_.at(node);
        switch (level.level) {
            case DomainLevel::smt:
                return machine_.cores[static_cast<std::size_t>(pu.core)].cpus & node_cpus;
            case DomainLevel::mc:
                return machine_.llcs[static_cast<std::size_t>(pu.llc)].cpus & node_cpus;
            case DomainLevel::pkg:
            case DomainLevel::node:
                return node_cpus;
            case DomainLevel::numa:
                break;
        }
        CpuSet span;
        for (const auto& [other, cpus] : node_cpus_) {
            if (distance(node, other) <= level.numa_distance) span |= cpus;
        }
        return span;
    }

    /// The object that decides a span, so that it is computed once for all CPUs that share it.
    [[nodiscard]] std::tuple<int, int, int> span_key(const Pu& pu, std::size_t level) const {
        const int node = pu.node.value_or(orphan_node);
        const int object = levels_[level].level == DomainLevel::smt  ? pu.core
                           : levels_[level].level == DomainLevel::mc ? pu.llc
                                                                     : 0;
        return {static_cast<int>(level), object, node};
    }

    int group_for(const CpuSet& span) {
        const auto [found, inserted] = group_index_.try_emplace(span, static_cast<int>(tree_.groups_.size()));
        if (inserted) tree_.groups_.push_back({span, span.count()});
        return found->second;
    }

    void build_raw_chain(const Pu& pu) {
        std::vector<int>& chain = raw_spans(pu.os_index);
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            const auto [found, inserted] = span_index_.try_emplace(span_key(pu, level), 0);
            if (inserted) found->second = group_for(span_of(pu, levels_[level]));
            chain.push_back(found->second);
        }
    }

    [[nodiscard]] std::vector<int>& raw_spans(int cpu) { return raw_spans_[static_cast<std::size_t>(cpu)]; }

    [[nodiscard]] int weight(int group) const { return tree_.group(group).weight; }

    [[nodiscard]] static bool shares_llc(DomainLevel level) {
        return level == DomainLevel::smt || level == DomainLevel::mc;
    }

    /// The rule of build_sched_domains(): nothing below the first domain above the LLC, scaled by span above it.
    [[nodiscard]] std::vector<ImbNumaNr> imb_numa_nrs(const std::vector<int>& chain) const {
        std::vector<ImbNumaNr> result(chain.size());
        ImbNumaNr imb;
        int span1 = 1;
        bool above_llc = false;
        for (std::size_t level = 1; level < chain.size(); ++level) {
            const int own = weight(chain[level]);
            if (!above_llc && !shares_llc(levels_[level].level) && shares_llc(levels_[level - 1].level)) {
                above_llc = true;
                const int nr_llcs = own / weight(chain[level - 1]);
                imb = nr_llcs == 1 ? ImbNumaNr{own >> 2, std::max(1, own >> 3)} : ImbNumaNr{nr_llcs, nr_llcs};
                span1 = first_numa_weight(chain, level);
                result[level] = imb;
            } else {
                const int scale = std::max(1, own / span1);
                result[level] = {imb.quarter * scale, imb.eighth * scale};
            }
        }
        return result;
    }

    [[nodiscard]] int first_numa_weight(const std::vector<int>& chain, std::size_t from) const {
        for (std::size_t level = from; level < chain.size(); ++level) {
            if (levels_[level].level == DomainLevel::numa) return weight(chain[level]);
        }
        return weight(chain[from]);
    }

    void build_chain(int cpu) {
        const std::vector<int>& raw = raw_spans(cpu);
        const std::vector<ImbNumaNr> imbs = imb_numa_nrs(raw);
        DomainTree::Place& place = place_of(cpu);
        place.first_domain = static_cast<int>(tree_.chain_.size());
        int child_span = -1;
        for (std::size_t level = 0; level < raw.size(); ++level) {
            if (weight(raw[level]) == 1 || raw[level] == child_span) continue;  // degenerate
            child_span = raw[level];
            tree_.chain_.push_back(domain_for(level, raw[level], imbs[level]));
            tree_.rings_.push_back(raw_rings_[static_cast<std::size_t>(cpu)][level]);
        }
        place.domain_count = static_cast<int>(tree_.chain_.size()) - place.first_domain;
    }

    int domain_for(std::size_t level, int span, const ImbNumaNr& imb) {
        const auto key = std::tuple(level, span, imb.quarter, imb.eighth);
        const auto [found, inserted] = domain_index_.try_emplace(key, static_cast<int>(tree_.domains_.size()));
        if (!inserted) return found->second;
        SchedDomain domain;
        domain.level = levels_[level].level;
        domain.numa_distance = levels_[level].numa_distance;
        domain.is_numa = domain.level == DomainLevel::numa;
        domain.shares_llc = shares_llc(domain.level);
        domain.balances_fork = domain.numa_distance <= machine_.reclaim_distance;
        domain.imbalance_pct = domain.level == DomainLevel::smt ? 110 : 117;
        domain.imb_numa_nr = imb;
        domain.span = span;
        tree_.domains_.push_back(domain);
        return found->second;
    }

    /// Rings of every CPU at one level. CPUs that share the domain are done together.
    void build_rings(std::size_t level) {
        std::map<int, std::vector<int>> cpus_of_span;
        for (const Pu& pu : machine_.pus) {
            raw_rings_[static_cast<std::size_t>(pu.os_index)].push_back({});
            const int span = raw_spans(pu.os_index)[level];
            if (weight(span) > 1) cpus_of_span[span].push_back(pu.os_index);
        }
        for (const auto& [span, cpus] : cpus_of_span) {
            const CpuSet members = tree_.group(span).span;
            std::vector<int> opened;
            for (const int member : members.to_vector())
                opened.push_back(child_group(member, level, members));
            if (is_partition(opened, weight(span))) {
                build_partition_rings(level, members, cpus, opened);
            } else {
                for (const int cpu : cpus)
                    raw_rings_[static_cast<std::size_t>(cpu)][level] = overlapping_ring(cpu, level, members);
            }
        }
    }

    [[nodiscard]] bool is_partition(std::vector<int> groups, int total_weight) const {
        std::sort(groups.begin(), groups.end());
        groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
        int sum = 0;
        for (const int group : groups)
            sum += weight(group);
        return sum == total_weight;
    }

    /// Where groups do not overlap, the ring of a CPU is that of the next CPU with the own group moved to the front.
    /// Twice round downwards, so that the first ring stored is complete; neighbours in one group share a ring.
    void build_partition_rings(std::size_t level, const CpuSet& members, const std::vector<int>& cpus,
                               const std::vector<int>& opened) {
        const std::vector<int> member_cpus = members.to_vector();
        const CpuSet owners = CpuSet::of(cpus);
        std::vector<int> order;
        std::optional<DomainTree::Ring> stored;
        for (std::size_t step = 2 * opened.size(); step-- > 0;) {
            const int group = opened[step % opened.size()];
            if (order.empty() || order.front() != group) {
                const auto old = std::find(order.begin(), order.end(), group);
                if (old == order.end()) {
                    order.insert(order.begin(), group);
                } else {
                    std::rotate(order.begin(), old, old + 1);
                }
                stored.reset();
            }
            if (step >= opened.size() || !owners.test(member_cpus[step])) continue;
            if (!stored) stored = store_ring(order);
            raw_rings_[static_cast<std::size_t>(member_cpus[step])][level] = *stored;
        }
    }

    DomainTree::Ring store_ring(const std::vector<int>& groups) {
        const auto first = static_cast<int>(tree_.ring_.size());
        tree_.ring_.insert(tree_.ring_.end(), groups.begin(), groups.end());
        return {first, static_cast<int>(groups.size())};
    }

    DomainTree::Ring overlapping_ring(int cpu, std::size_t level, const CpuSet& members) {
        std::vector<int> ring;
        CpuSet uncovered = members;
        for (int member = cpu; member >= 0;) {
            ring.push_back(child_group(member, level, members));
            uncovered -= tree_.group(ring.back()).span;
            const int next = uncovered.next(member);
            member = next >= 0 ? next : uncovered.first();
        }
        return store_ring(ring);
    }

    /// The group `cpu` opens in a domain: its own span one level down, or further down where NUMA spans overlap so that
    /// the child would reach outside of the domain.
    int child_group(int cpu, std::size_t level, const CpuSet& span) {
        const std::vector<int>& raw = raw_spans(cpu);
        while (level-- > 0) {
            if (tree_.group(raw[level]).span.is_subset_of(span)) return raw[level];
        }
        return group_for(CpuSet{cpu});
    }

    void build_hierarchy() {
        constexpr std::size_t smt = 0;
        constexpr std::size_t mc = 1;
        std::vector<CpuPlaces> cpus;
        cpus.reserve(machine_.pus.size());
        for (const Pu& pu : machine_.pus) {
            const std::vector<int>& raw = raw_spans(pu.os_index);
            CpuPlaces places;
            places.cpu = pu.os_index;
            places.node_number = pu.node.value_or(orphan_node);
            places.efficiency = pu.efficiency;
            places.core_group = raw[smt];
            places.llc_group = raw[mc];
            places.core_first_cpu = tree_.group(raw[smt]).span.first();
            places.llc_first_cpu = tree_.group(raw[mc]).span.first();
            places.whole_llc_group = group_for(machine_.llcs[static_cast<std::size_t>(pu.llc)].cpus);
            places.node_group = group_for(node_cpus_.at(places.node_number));
            cpus.push_back(places);
        }
        tree_.hierarchy_ = nest_places(std::move(cpus), group_for(tree_.cpus_), tree_.cpu_limit());
    }

    void build_groups_of() {
        std::vector<std::vector<int>> groups_of(tree_.places_.size());
        for (std::size_t group = 0; group < tree_.groups_.size(); ++group) {
            const CpuSet& span = tree_.groups_[group].span;
            for (int cpu = span.first(); cpu >= 0; cpu = span.next(cpu)) {
                groups_of[static_cast<std::size_t>(cpu)].push_back(static_cast<int>(group));
            }
        }
        for (std::size_t cpu = 0; cpu < groups_of.size(); ++cpu) {
            tree_.places_[cpu].first_group = static_cast<int>(tree_.groups_of_.size());
            tree_.places_[cpu].group_count = static_cast<int>(groups_of[cpu].size());
            tree_.groups_of_.insert(tree_.groups_of_.end(), groups_of[cpu].begin(), groups_of[cpu].end());
        }
    }

    const Machine& machine_;
    DomainTree tree_;
    std::vector<RawLevel> levels_;
    std::set<int> numa_distances_;
    std::map<int, CpuSet> node_cpus_;
    std::map<int, std::set<int>> node_packages_;
    std::vector<std::vector<int>> raw_spans_;  // per CPU: the group that is its span at each of levels_
    std::vector<std::vector<DomainTree::Ring>> raw_rings_;
    std::map<std::tuple<int, int, int>, int> span_index_;
    std::unordered_map<CpuSet, int, CpuSetHash> group_index_;
    std::map<std::tuple<std::size_t, int, int, int>, int> domain_index_;
};

DomainTree DomainTree::build(const Machine& machine) {
    return DomainTreeBuilder(machine).build();
}

}  // namespace pinwise
