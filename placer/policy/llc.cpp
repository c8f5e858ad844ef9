#include "placer/policy/llc.hpp"

#include <fmt/format.h>

#include "placer/policy/vacancy.hpp"

namespace pinwise {

namespace {

/// The order of the header, for two LLCs that both offer what is wanted.
bool comes_before(const CpuHierarchy& hierarchy, const Vacancies& vacancies, const LlcPlace& a, const LlcPlace& b) {
    const bool empty_a = vacancies.running(a.whole_llc_group) == 0;
    const bool empty_b = vacancies.running(b.whole_llc_group) == 0;
    if (empty_a != empty_b) return empty_a;
    if (a.node != b.node) {
        const auto node_group = [&](const LlcPlace& llc) {
            return hierarchy.nodes[static_cast<std::size_t>(llc.node)].group;
        };
        const auto nodes = vacancies.compare_load(node_group(a), node_group(b));
        if (nodes != 0) return nodes < 0;
    }
    if (const auto llcs = vacancies.compare_load(a.group, b.group); llcs != 0) return llcs < 0;
    const auto efficiency = [&](const LlcPlace& llc) {
        return hierarchy.cores[static_cast<std::size_t>(vacancies.best_core(llc))].efficiency;
    };
    if (hierarchy.hybrid && efficiency(a) != efficiency(b)) return efficiency(a) > efficiency(b);
    if (vacancies.capacity(a.group) != vacancies.capacity(b.group))
        return vacancies.capacity(a.group) > vacancies.capacity(b.group);
    return a.spread_rank < b.spread_rank;
}

}  // namespace

int LlcPolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* why) const {
    const CpuHierarchy& hierarchy = query.tree.hierarchy();
    const Vacancies vacancies(query);
    const LlcPlace* best = nullptr;
    for (const LlcPlace& llc : hierarchy.llcs) {
        if (!vacancies.offers(llc.group, vacancies.machine())) continue;
        if (best == nullptr || comes_before(hierarchy, vacancies, llc, *best)) best = &llc;
    }
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
