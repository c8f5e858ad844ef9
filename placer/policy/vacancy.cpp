#include "placer/policy/vacancy.hpp"

namespace pinwise {

bool Vacancies::is_better_core(const CorePlace& a, const CorePlace& b) const {
    const Vacancy of_a = of(a.group);
    const Vacancy of_b = of(b.group);
    if (of_a != of_b) return of_a < of_b;
    if (of_a == Vacancy::none) return compare_load(a.group, b.group) < 0;
    if (running(a.group) != running(b.group)) return running(a.group) < running(b.group);
    return a.efficiency > b.efficiency;
}

int Vacancies::best_core(const LlcPlace& llc) const {
    int best = -1;
    for (int core = llc.first_core; core < llc.first_core + llc.core_count; ++core) {
        const CorePlace& candidate = hierarchy_.cores[static_cast<std::size_t>(core)];
        if (within_.group(candidate.group).allowed_cpus == 0) continue;
        if (best < 0 || is_better_core(candidate, hierarchy_.cores[static_cast<std::size_t>(best)])) best = core;
    }
    return best;
}

int Vacancies::best_cpu(int core) const {
    const CpuSet& span = query_.tree.group(hierarchy_.cores[static_cast<std::size_t>(core)].group).span;
    if (const int idle = span.first_common(within_.idle()); idle >= 0) return idle;
    int best = -1;
    for (int cpu = span.first(); cpu >= 0; cpu = span.next(cpu)) {
        if (!query_.allowed.test(cpu)) continue;
        if (best < 0 || query_.load.nr_running(cpu) < query_.load.nr_running(best)) best = cpu;
    }
    return best;
}

std::string_view to_string(Vacancy vacancy) {
    switch (vacancy) {
        case Vacancy::idle_core:
            return "idle core";
        case Vacancy::idle_cpu:
            return "idle SMT sibling";
        case Vacancy::none:
            return "no idle CPU";
    }
    return "?";
}

}  // namespace pinwise
