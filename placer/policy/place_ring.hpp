#pragma once
/// OpenMP's place list for one decision: the allowed cores in their fixed order, closed to a ring, and which of them
/// are free in the present round.
///
/// A round fills the places once: first the idle cores, then the cores that have an idle SMT sibling and the fewest
/// threads, then, when no CPU is idle, the cores with the fewest threads per allowed CPU.

#include <cstdint>
#include <span>

#include "placer/policy/vacancy.hpp"

namespace pinwise {

enum class PlaceState {
    free,   ///< takes a thread in this round
    taken,  ///< filled by this round already
    out,    ///< no place of this round: a core too narrow for a round of SMT siblings
};

class PlaceRing {
public:
    explicit PlaceRing(const PlacementQuery& query);

    [[nodiscard]] Vacancy round() const { return vacancies_.machine(); }
    [[nodiscard]] std::size_t size() const { return cores_.size(); }
    /// The place of the waker's core, or the next one where that core has no allowed CPU.
    [[nodiscard]] std::size_t start() const { return start_; }
    [[nodiscard]] std::size_t next(std::size_t place) const { return place + 1 == cores_.size() ? 0 : place + 1; }
    [[nodiscard]] PlaceState state(std::size_t place) const {
        const CoreLoad& core = cores_[place];
        if (round() == Vacancy::none) return compare_load(core, free_) == 0 ? PlaceState::free : PlaceState::taken;
        if (core.running == free_.running && core.idle > 0) return PlaceState::free;
        return core.allowed > free_.running ? PlaceState::taken : PlaceState::out;
    }
    [[nodiscard]] int cpu_of(std::size_t place) const { return vacancies_.best_cpu(cores_[place].core); }

private:
    /// Threads per allowed CPU: below 0 when `a` is less loaded than `b`, 0 when they are equal.
    static std::int64_t compare_load(const CoreLoad& a, const CoreLoad& b) {
        return std::int64_t{a.running} * b.allowed - std::int64_t{b.running} * a.allowed;
    }
    [[nodiscard]] std::size_t least_loaded() const;

    Vacancies vacancies_;
    std::span<const CoreLoad> cores_;
    std::size_t start_ = 0;
    CoreLoad free_;  ///< a free place: the others are as loaded as this one
};

}  // namespace pinwise
