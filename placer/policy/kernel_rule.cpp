#include "placer/policy/kernel_rule.hpp"

#include <array>

namespace pinwise {

namespace {

constexpr std::array rules{
    KernelRule{"5.5", "5.5 to 5.10", StayLocal::any_idle},
    KernelRule{"5.10.261", "5.10.261 and later of the 5.10 series", StayLocal::any_idle, false, true},
    KernelRule{"5.11", "5.11 to 5.17", StayLocal::quarter_of_domain},
    KernelRule{"5.18", "5.18 and 5.19", StayLocal::imb_numa_nr},
    KernelRule{"v6", "the pinned-aware patch of 2022, never released in this form", StayLocal::imb_numa_nr_allowed},
    KernelRule{"6.0", "6.0 to 6.18", StayLocal::adjusted_imbalance, true},
    KernelRule{"6.19", "6.19 and later; 6.18.39, 6.12.117, 6.6.145, 6.1.178 and later of their series",
               StayLocal::adjusted_imbalance, true, true},
};

}  // namespace

std::span<const KernelRule> kernel_rules() {
    return rules;
}

const KernelRule* find_kernel_rule(std::string_view name) {
    for (const KernelRule& rule : rules) {
        if (rule.name == name) return &rule;
    }
    return nullptr;
}

}  // namespace pinwise
