#include "placer/policy/vacancy.hpp"

namespace pinwise {

Vacancy Vacancies::of(int group) const {
    const MaskedGroupLoad& masked = within_.group(group);
    if (masked.idle_cores > 0) return Vacancy::idle_core;
    return masked.load.idle_cpus > 0 ? Vacancy::idle_cpu : Vacancy::none;
}

bool Vacancies::offers(int group, Vacancy wanted) const {
    return within_.group(group).allowed_cpus > 0 && of(group) <= wanted;
}

int Vacancies::capacity(int group) const {
    const MaskedGroupLoad& masked = within_.group(group);
    return machine_ == Vacancy::idle_core ? masked.allowed_cores : masked.allowed_cpus;
}

std::int64_t Vacancies::compare_load(int a, int b) const {
    return std::int64_t{running(a)} * capacity(b) - std::int64_t{running(b)} * capacity(a);
}

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
