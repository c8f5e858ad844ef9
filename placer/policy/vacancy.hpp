#pragma once
/// What the spreading policies ask of a load view: who still has an idle core, who only an idle SMT sibling, and the
/// best CPU inside a core.

#include "placer/policy/policy.hpp"

namespace pinwise {

/// The best a place can offer. With enough allowed CPUs no thread gets less than `idle_cpu`, so none shares a CPU.
enum class Vacancy {
    idle_core,  ///< a core where nothing runs
    idle_cpu,   ///< an idle CPU whose core is busy
    none,       ///< allowed CPUs, all busy
};

/// One query's view of the places. Load counts every thread of a group, allowed CPUs or not; capacity counts what is
/// allowed.
class Vacancies {
public:
    explicit Vacancies(const PlacementQuery& query)
        : query_(query),
          hierarchy_(query.tree.hierarchy()),
          within_(query.load.within(query.allowed)),
          machine_(of(hierarchy_.machine_group)) {}

    /// What the machine as a whole can offer.
    [[nodiscard]] Vacancy machine() const { return machine_; }
    /// What the allowed part of a group can offer.
    [[nodiscard]] Vacancy of(int group) const {
        const MaskedGroupLoad& masked = within_.group(group);
        if (masked.idle_cores > 0) return Vacancy::idle_core;
        return masked.load.idle_cpus > 0 ? Vacancy::idle_cpu : Vacancy::none;
    }
    /// Whether the group has an allowed CPU, and nothing less than `wanted` to offer.
    [[nodiscard]] bool offers(int group, Vacancy wanted) const {
        return within_.group(group).allowed_cpus > 0 && of(group) <= wanted;
    }

    [[nodiscard]] int running(int group) const { return query_.load.group(group).running; }
    /// Allowed cores while there are idle ones on the machine, allowed CPUs afterwards.
    [[nodiscard]] int capacity(int group) const {
        const MaskedGroupLoad& masked = within_.group(group);
        return machine_ == Vacancy::idle_core ? masked.allowed_cores : masked.allowed_cpus;
    }
    /// Running threads by capacity: below 0 when `a` is less loaded than `b`, 0 when they are equal.
    [[nodiscard]] std::int64_t compare_load(int a, int b) const {
        return std::int64_t{running(a)} * capacity(b) - std::int64_t{running(b)} * capacity(a);
    }

    /// The core of an LLC place to take next, as a position in CpuHierarchy::cores: an idle one before a busy one, the
    /// more efficient, the less loaded, the first. The place has an allowed CPU.
    [[nodiscard]] int best_core(const LlcPlace& llc) const;
    /// The allowed CPU of a core with the fewest threads, the lowest of equals; -1 where none is allowed.
    [[nodiscard]] int best_cpu(int core) const;

private:
    [[nodiscard]] bool is_better_core(const CorePlace& a, const CorePlace& b) const;

    const PlacementQuery& query_;
    const CpuHierarchy& hierarchy_;
    const MaskedLoad& within_;
    Vacancy machine_;
};

std::string_view to_string(Vacancy vacancy);

}  // namespace pinwise
