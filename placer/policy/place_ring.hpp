#pragma once
/// OpenMP's place list for one decision: the cores in their fixed order, closed to a ring, and which of them are free in
/// the present round.
///
/// A round fills the places once: first the idle cores, then the cores that have an idle SMT sibling and the fewest
/// threads, then, when no CPU is idle, the cores with the fewest threads per allowed CPU.

#include "placer/policy/vacancy.hpp"

namespace pinwise {

class PlaceRing {
public:
    explicit PlaceRing(const PlacementQuery& query);

    [[nodiscard]] Vacancy round() const { return vacancies_.machine(); }
    /// Number of cores, those without an allowed CPU included.
    [[nodiscard]] int size() const { return size_; }
    /// The core of the waker.
    [[nodiscard]] int start() const { return start_; }
    [[nodiscard]] int next(int core) const { return core + 1 == size_ ? 0 : core + 1; }

    /// The core takes a thread in this round.
    [[nodiscard]] bool is_free(int core) const;
    /// The core is a place that this round has filled already.
    [[nodiscard]] bool is_taken(int core) const;
    [[nodiscard]] int cpu_of(int core) const { return vacancies_.best_cpu(core); }

private:
    [[nodiscard]] int group_of(int core) const {
        return hierarchy_.cores[static_cast<std::size_t>(core)].group;
    }
    [[nodiscard]] int least_loaded() const;

    const CpuHierarchy& hierarchy_;
    const MaskedLoad& within_;
    Vacancies vacancies_;
    int size_;
    int start_ = 0;
    int reference_ = 0;  ///< group of a free core: in the later rounds the free ones are as loaded as this one
};

}  // namespace pinwise
