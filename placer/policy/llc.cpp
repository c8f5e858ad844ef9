#include "placer/policy/llc.hpp"

#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "placer/policy/vacancy.hpp"

namespace pinwise {

namespace {

/// An LLC that offers what is wanted, and what it is judged by.
struct Candidate {
    const LlcPlace* llc = nullptr;
    bool is_empty = false;  ///< nothing runs in the whole of it
    int running = 0;
    int capacity = 0;
};

/// The order of the header, but for the nodes.
bool comes_before(const CpuHierarchy& hierarchy, const Vacancies& vacancies, const Candidate& a, const Candidate& b) {
    if (a.is_empty != b.is_empty) return a.is_empty;
    const std::int64_t load = std::int64_t{a.running} * b.capacity - std::int64_t{b.running} * a.capacity;
    if (load != 0) return load < 0;
    const auto efficiency = [&](const Candidate& candidate) {
        return hierarchy.cores[static_cast<std::size_t>(vacancies.best_core(*candidate.llc))].efficiency;
    };
    if (hierarchy.hybrid && efficiency(a) != efficiency(b)) return efficiency(a) > efficiency(b);
    if (a.capacity != b.capacity) return a.capacity > b.capacity;
    return a.llc->spread_rank < b.llc->spread_rank;
}

/// No LLC where the node has nothing to offer.
Candidate best_of_node(const CpuHierarchy& hierarchy, const Vacancies& vacancies, const NodePlace& node) {
    Candidate best;
    if (!vacancies.offers(node.group, vacancies.machine())) return best;
    const auto llcs = std::span(hierarchy.llcs)
                          .subspan(static_cast<std::size_t>(node.first_llc), static_cast<std::size_t>(node.llc_count));
    for (const LlcPlace& llc : llcs) {
        if (!vacancies.offers(llc.group, vacancies.machine())) continue;
        const Candidate candidate{&llc, vacancies.running(llc.whole_llc_group) == 0, vacancies.running(llc.group),
                                  vacancies.capacity(llc.group)};
        if (best.llc == nullptr || comes_before(hierarchy, vacancies, candidate, best)) best = candidate;
    }
    return best;
}

const LlcPlace& best_llc(const CpuHierarchy& hierarchy, const Vacancies& vacancies) {
    Candidate best;
    int group_of_best = 0;
    for (const NodePlace& node : hierarchy.nodes) {
        const std::int64_t load = best.llc != nullptr ? vacancies.compare_load(node.group, group_of_best) : 0;
        if (load > 0 && best.is_empty) continue;
        const Candidate candidate = best_of_node(hierarchy, vacancies, node);
        if (candidate.llc == nullptr) continue;
        const bool decided_by_node = best.llc != nullptr && candidate.is_empty == best.is_empty && load != 0;
        if (best.llc != nullptr && !(decided_by_node ? load < 0 : comes_before(hierarchy, vacancies, candidate, best)))
            continue;
        best = candidate;
        group_of_best = node.group;
    }
    return *best.llc;
}

}  // namespace

int LlcPolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* why) const {
    const CpuHierarchy& hierarchy = query.tree.hierarchy();
    const Vacancies vacancies(query);
    const LlcPlace* best = &best_llc(hierarchy, vacancies);
    const int cpu = vacancies.best_cpu(vacancies.best_core(*best));
    if (why != nullptr) {
        const int node = hierarchy.nodes[static_cast<std::size_t>(best->node)].group;
        why->push_back({"node", fmt::format("{}: {} threads on {} allowed {}", query.tree.node_of(cpu),
                                            vacancies.running(node), vacancies.capacity(node),
                                            vacancies.machine() == Vacancy::idle_core ? "cores" : "CPUs")});
        why->push_back(
            {"LLC", fmt::format("{}: {} threads, {}", query.tree.llc_of(cpu), vacancies.running(best->whole_llc_group),
                                to_string(vacancies.of(best->group)))});
    }
    return cpu;
}

}  // namespace pinwise
