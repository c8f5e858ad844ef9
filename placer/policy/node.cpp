#include "placer/policy/node.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "placer/policy/vacancy.hpp"

namespace pinwise {

namespace {

const NodePlace& choose_node(const CpuHierarchy& hierarchy, const Vacancies& vacancies) {
    const Vacancy wanted = std::max(vacancies.machine(), Vacancy::idle_cpu);
    const NodePlace* best = nullptr;
    for (const NodePlace& node : hierarchy.nodes) {
        if (!vacancies.offers(node.group, wanted)) continue;
        const bool fewer = best == nullptr ||
                           (wanted == Vacancy::none ? vacancies.compare_load(node.group, best->group) < 0
                                                    : vacancies.running(node.group) < vacancies.running(best->group));
        if (fewer) best = &node;
    }
    return *best;
}

const LlcPlace& choose_llc(const CpuHierarchy& hierarchy, const Vacancies& vacancies, const NodePlace& node) {
    const Vacancy wanted = vacancies.of(node.group);
    const LlcPlace* best = nullptr;
    for (const LlcPlace& llc :
         std::span(hierarchy.llcs)
             .subspan(static_cast<std::size_t>(node.first_llc), static_cast<std::size_t>(node.llc_count))) {
        if (!vacancies.offers(llc.group, wanted)) continue;
        if (best == nullptr || (wanted == Vacancy::none && vacancies.compare_load(llc.group, best->group) < 0))
            best = &llc;
    }
    return *best;
}

}  // namespace

int NodePolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* why) const {
    const CpuHierarchy& hierarchy = query.tree.hierarchy();
    const Vacancies vacancies(query);
    const NodePlace& node = choose_node(hierarchy, vacancies);
    const LlcPlace& llc = choose_llc(hierarchy, vacancies, node);
    const int cpu = vacancies.best_cpu(vacancies.best_core(llc));
    if (why != nullptr) {
        why->push_back({"node", fmt::format("{}: {} threads, {}", query.tree.node_of(cpu),
                                            vacancies.running(node.group), to_string(vacancies.of(node.group)))});
    }
    return cpu;
}

}  // namespace pinwise
