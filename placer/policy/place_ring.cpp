#include "placer/policy/place_ring.hpp"

namespace pinwise {

PlaceRing::PlaceRing(const PlacementQuery& query)
    : vacancies_(query), cores_(query.load.within(query.allowed).cores()) {
    const int waker = query.tree.cpus().test(query.waker) ? query.waker : query.allowed.first();
    const int core = query.tree.hierarchy().core_of_cpu[static_cast<std::size_t>(waker)];
    const std::size_t place = query.load.within(query.allowed).position_of(core);
    start_ = place == cores_.size() ? 0 : place;
    if (round() != Vacancy::idle_core) free_ = cores_[least_loaded()];
}

std::size_t PlaceRing::least_loaded() const {
    std::size_t least = cores_.size();
    for (std::size_t place = 0; place < cores_.size(); ++place) {
        const CoreLoad& core = cores_[place];
        if (round() == Vacancy::none) {
            if (least == cores_.size() || compare_load(core, cores_[least]) < 0) least = place;
        } else if (core.idle > 0) {
            if (core.running == 1) return place;  // no core is idle, so none has fewer
            if (least == cores_.size() || core.running < cores_[least].running) least = place;
        }
    }
    return least;
}

}  // namespace pinwise
