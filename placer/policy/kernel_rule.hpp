#pragma once
/// What differs between kernels when a new thread is placed: data, one row a generation.

#include <span>
#include <string_view>

namespace pinwise {

/// When a thread stays on its creator's NUMA node although another node is idler (both have spare capacity).
enum class StayLocal {
    any_idle,             ///< while the local group has an idle CPU that is counted
    quarter_of_domain,    ///< while local running < domain weight / 4; the new thread is not counted
    imb_numa_nr,          ///< while local running + 1 <= imb_numa_nr
    imb_numa_nr_allowed,  ///< while local running + 1 <= min(weight(allowed AND local group), imb_numa_nr)
    adjusted_imbalance,   ///< as above, and a difference of more than two idle CPUs is never tolerated
};

struct KernelRule {
    std::string_view name;     ///< what follows "idlest@"
    std::string_view kernels;  ///< releases that behave so
    StayLocal stay_local;
    bool imb_eighth = false;           ///< imb_numa_nr of a one-LLC node is an eighth of its CPUs instead of a quarter
    bool counts_allowed_only = false;  ///< idle and running are taken over the allowed CPUs of a group only
};

/// Oldest first. Sources: commits e496132ebedd (5.18), f5b2eeb49991 and 026b98a93bbd (6.0), 82d6e01a0699 (6.19), and
/// the never merged v6 of "sched/fair: Consider cpu affinity when allowing NUMA imbalance" (2022).
std::span<const KernelRule> kernel_rules();

/// The rule of that name, nullptr when there is none.
const KernelRule* find_kernel_rule(std::string_view name);

}  // namespace pinwise
