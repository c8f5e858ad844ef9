#include "placer/policy/idlest.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace pinwise {

namespace {

/// Ordered: lower is idler. The kernel's misfit, asym_packing, smt_balance and imbalanced types do not occur in a model
/// without asymmetric capacities and without a load balancer.
enum class GroupType { has_spare, fully_busy, overloaded };

struct GroupState {
    int group = -1;
    GroupType type = GroupType::overloaded;
    GroupLoad load;
    std::int64_t avg_load = 0;
};

GroupType classify(const GroupLoad& load, int weight, int imbalance_pct) {
    const std::int64_t capacity = 1024LL * weight;
    const bool runnable_fits = capacity * imbalance_pct >= load.runnable * 100;
    const bool util_fits = capacity * 100 > load.util * imbalance_pct;
    if (load.running > weight && (capacity * 100 < load.util * imbalance_pct || !runnable_fits))
        return GroupType::overloaded;
    if (load.running < weight || (runnable_fits && util_fits)) return GroupType::has_spare;
    return GroupType::fully_busy;
}

bool is_idler(const GroupState& candidate, const GroupState& best) {
    if (candidate.type != best.type) return candidate.type < best.type;
    if (candidate.type != GroupType::has_spare) return candidate.avg_load < best.avg_load;
    if (candidate.load.idle_cpus != best.load.idle_cpus) return candidate.load.idle_cpus > best.load.idle_cpus;
    return candidate.load.util < best.load.util;
}

/// adjust_numa_imbalance(): below the threshold a small imbalance is none.
int adjusted_imbalance(int imbalance, int running, int threshold) {
    constexpr int tolerated_imbalance = 2;
    return running <= threshold && imbalance <= tolerated_imbalance ? 0 : imbalance;
}

/// One placement: the state of the walk, and its explanation where one is wanted.
class Walk {
public:
    Walk(const PlacementQuery& query, const KernelRule& rule, std::vector<PlacementStep>* why)
        : query_(query), tree_(query.tree), within_(query.load.within(query.allowed)), rule_(rule), why_(why) {}

    int run() {
        if (query_.allowed.count() == 1) return only_allowed_cpu();
        cpu_ = tree_.cpus().test(query_.waker) ? query_.waker : query_.allowed.first();
        level_ = highest_level(cpu_, tree_.cpu_limit() + 1);
        while (level_ >= 0) {
            if (!descend()) --level_;
        }
        return query_.allowed.test(cpu_) ? cpu_ : fallback();
    }

private:
    [[nodiscard]] const SchedDomain& domain() const {
        return tree_.domain(tree_.domains_of(cpu_)[static_cast<std::size_t>(level_)]);
    }

    template <class... Arguments>
    void explain(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
        if (why_ != nullptr)
            why_->push_back({domain().name(), fmt::format(format, std::forward<Arguments>(arguments)...)});
    }

    [[nodiscard]] int only_allowed_cpu() const {
        const int cpu = query_.allowed.first();
        if (why_ != nullptr) why_->push_back({"mask", fmt::format("CPU {} is the only allowed one", cpu)});
        return cpu;
    }

    /// Highest domain of `cpu` that balances at fork, has only such domains below it, and weighs less than `limit`; -1
    /// for none.
    [[nodiscard]] int highest_level(int cpu, int limit) const {
        int level = -1;
        for (const int index : tree_.domains_of(cpu)) {
            const SchedDomain& candidate = tree_.domain(index);
            if (!candidate.balances_fork || tree_.group(candidate.span).weight >= limit) break;
            ++level;
        }
        return level;
    }

    /// One level of the walk. False: nothing changed, go on one level down on the same CPU.
    bool descend() {
        const int group = find_idlest_group();
        if (group < 0) return false;
        const int target = find_idlest_cpu(group);
        if (target == cpu_) return false;
        const int weight = tree_.group(domain().span).weight;
        cpu_ = target;
        level_ = highest_level(cpu_, weight);
        return true;
    }

    [[nodiscard]] GroupState state_of(int group) const {
        GroupState state;
        state.group = group;
        state.load = rule_.counts_allowed_only ? within_.group(group).load : query_.load.group(group);
        const int weight = tree_.group(group).weight;
        state.type = classify(state.load, weight, domain().imbalance_pct);
        if (state.type != GroupType::has_spare) state.avg_load = state.load.load * 1024 / (1024LL * weight);
        return state;
    }

    /// The group to go to, -1 to stay in the local one.
    int find_idlest_group() {
        const std::span<const int> ring = tree_.ring(cpu_, level_);
        GroupState local;
        GroupState best;
        for (const int group : ring) {
            if (allowed_in(group) == 0) continue;
            const GroupState state = state_of(group);
            if (group == ring.front()) {
                local = state;
            } else if (best.group < 0 || is_idler(state, best)) {
                best = state;
            }
        }
        if (best.group < 0) {
            explain("stay: no other group has an allowed CPU");
            return -1;
        }
        if (local.group < 0) {
            explain("leave: the local group has no allowed CPU");
            return best.group;
        }
        return leaves(local, best) ? best.group : -1;
    }

    [[nodiscard]] bool leaves(const GroupState& local, const GroupState& best) const {
        if (local.type != best.type) {
            explain("{}: the groups differ in type (0 has spare, 1 fully busy, 2 overloaded): local {}, best other {}",
                    local.type < best.type ? "stay" : "leave", static_cast<int>(local.type),
                    static_cast<int>(best.type));
            return local.type > best.type;
        }
        if (local.type != GroupType::has_spare) return leaves_by_load(local, best);
        if (domain().is_numa) {
            if (query_.preferred_node >= 0 && tree_.node_of(cpu_) == query_.preferred_node) {
                explain("stay: node {} is the preferred node", query_.preferred_node);
                return false;
            }
            if (query_.preferred_node >= 0 &&
                tree_.node_of(tree_.group(best.group).span.first()) == query_.preferred_node) {
                explain("leave: node {} is the preferred node", query_.preferred_node);
                return true;
            }
            if (stays_on_node(local, best)) return false;
        }
        const bool leave = local.load.idle_cpus < best.load.idle_cpus;
        explain("{}: idle CPUs: local {}, best other {}", leave ? "leave" : "stay", local.load.idle_cpus,
                best.load.idle_cpus);
        return leave;
    }

    [[nodiscard]] bool leaves_by_load(const GroupState& local, const GroupState& best) const {
        const int pct = domain().imbalance_pct;
        const std::int64_t imbalance = 1024LL * (pct - 100) / 100;
        const bool stay = (domain().is_numa && best.avg_load + imbalance >= local.avg_load) ||
                          best.avg_load >= local.avg_load + imbalance || 100 * local.avg_load <= pct * best.avg_load;
        explain("{}: average load: local {}, best other {}", stay ? "stay" : "leave", local.avg_load, best.avg_load);
        return !stay;
    }

    /// The rule in which the kernels differ. True: a NUMA imbalance is tolerated.
    [[nodiscard]] bool stays_on_node(const GroupState& local, const GroupState& best) const {
        const int running = local.load.running;
        switch (rule_.stay_local) {
            case StayLocal::any_idle:
                return tolerates(local.load.idle_cpus > 0, "idle local CPUs {} against 0", local.load.idle_cpus);
            case StayLocal::quarter_of_domain: {
                const int quarter = tree_.group(domain().span).weight / 4;
                return tolerates(running < quarter, "local running {} against a quarter of the domain, {}", running,
                                 quarter);
            }
            case StayLocal::imb_numa_nr:
                return tolerates(running + 1 <= imb_numa_nr(), "local running + 1 = {} against imb_numa_nr {}",
                                 running + 1, imb_numa_nr());
            case StayLocal::imb_numa_nr_allowed:
                return tolerates(running + 1 <= imb_within_allowed(local.group),
                                 "local running + 1 = {} against min({} allowed local CPUs, imb_numa_nr {})",
                                 running + 1, allowed_in(local.group), imb_numa_nr());
            case StayLocal::adjusted_imbalance:
                break;
        }
        const int difference = std::abs(local.load.idle_cpus - best.load.idle_cpus);
        return tolerates(
            adjusted_imbalance(difference, running + 1, imb_within_allowed(local.group)) == 0,
            "idle CPUs differ by {}, local running + 1 = {} against min({} allowed local CPUs, imb_numa_nr {})",
            difference, running + 1, allowed_in(local.group), imb_numa_nr());
    }

    template <class... Arguments>
    [[nodiscard]] bool tolerates(bool stay, fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
        if (why_ != nullptr)
            explain("{}: {}", stay ? "stay" : "imbalance counts",
                    fmt::format(format, std::forward<Arguments>(arguments)...));
        return stay;
    }

    [[nodiscard]] int imb_numa_nr() const {
        return rule_.imb_eighth ? domain().imb_numa_nr.eighth : domain().imb_numa_nr.quarter;
    }

    [[nodiscard]] int allowed_in(int group) const { return within_.group(group).allowed_cpus; }

    [[nodiscard]] int imb_within_allowed(int local_group) const {
        return std::min(allowed_in(local_group), imb_numa_nr());
    }

    [[nodiscard]] int find_idlest_cpu(int group) const {
        const CpuSet& span = tree_.group(group).span;
        if (const int idle = span.first_common(within_.idle()); idle >= 0) return idle;
        int least_loaded = -1;
        for (int cpu = span.first(); cpu >= 0; cpu = span.next(cpu)) {
            if (!query_.allowed.test(cpu)) continue;
            if (least_loaded < 0 || query_.load.cpu_load(cpu) < query_.load.cpu_load(least_loaded)) least_loaded = cpu;
        }
        return least_loaded;
    }

    /// The walk ended outside of the mask: first allowed CPU of the waker's node, else the first allowed CPU.
    [[nodiscard]] int fallback() const {
        const int node = tree_.node_of(cpu_);
        for (int cpu = query_.allowed.first(); cpu >= 0; cpu = query_.allowed.next(cpu)) {
            if (tree_.node_of(cpu) == node) return cpu;
        }
        return query_.allowed.first();
    }

    const PlacementQuery& query_;
    const DomainTree& tree_;
    const MaskedLoad& within_;
    const KernelRule& rule_;
    std::vector<PlacementStep>* why_;
    int cpu_ = 0;
    int level_ = 0;
};

}  // namespace

int IdlestPolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* why) const {
    return Walk(query, *rule_, why).run();
}

}  // namespace pinwise
