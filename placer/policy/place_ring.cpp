#include "placer/policy/place_ring.hpp"

namespace pinwise {

PlaceRing::PlaceRing(const PlacementQuery& query)
    : hierarchy_(query.tree.hierarchy()),
      within_(query.load.within(query.allowed)),
      vacancies_(query),
      size_(static_cast<int>(hierarchy_.cores.size())) {
    const int waker = query.tree.cpus().test(query.waker) ? query.waker : query.allowed.first();
    start_ = hierarchy_.core_of_cpu[static_cast<std::size_t>(waker)];
    if (round() != Vacancy::idle_core) reference_ = group_of(least_loaded());
}

int PlaceRing::least_loaded() const {
    int least = -1;
    for (int core = 0; core < size_; ++core) {
        if (!vacancies_.offers(group_of(core), round())) continue;
        const bool less = least < 0 || (round() == Vacancy::none
                                            ? vacancies_.compare_load(group_of(core), group_of(least)) < 0
                                            : vacancies_.running(group_of(core)) < vacancies_.running(group_of(least)));
        if (less) least = core;
    }
    return least;
}

bool PlaceRing::is_free(int core) const {
    const int group = group_of(core);
    switch (round()) {
        case Vacancy::idle_core:
            return within_.group(group).idle_cores > 0;
        case Vacancy::idle_cpu:
            return within_.group(group).load.idle_cpus > 0 &&
                   vacancies_.running(group) == vacancies_.running(reference_);
        case Vacancy::none:
            break;
    }
    return within_.group(group).allowed_cpus > 0 && vacancies_.compare_load(group, reference_) == 0;
}

bool PlaceRing::is_taken(int core) const {
    if (is_free(core)) return false;
    // A core too narrow for another thread of its own is no place in a round of SMT siblings.
    const int threads_after = round() == Vacancy::idle_cpu ? vacancies_.running(reference_) + 1 : 1;
    return within_.group(group_of(core)).allowed_cpus >= threads_after;
}

}  // namespace pinwise
