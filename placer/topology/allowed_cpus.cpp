#include "placer/topology/allowed_cpus.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "placer/topology/cpu_list.hpp"

namespace pinwise {

namespace {

struct Unusable {
    std::string_view why;
    CpuSet cpus;
};

/// The CPUs of the list that cannot be used, by reason.
std::array<Unusable, 3> unusable_cpus(const Machine& machine, const CpuSet& wanted) {
    const CpuSet missing = wanted - machine.online;
    return {Unusable{"absent from this machine", missing - machine.offline},
            Unusable{"offline", missing & machine.offline},
            Unusable{"not allowed to this process (cpuset or affinity)", (wanted & machine.online) - machine.allowed}};
}

}  // namespace

Result<AllowedCpus> select_allowed(const Machine& machine, std::span<const int> list, MissingCpus missing) {
    const CpuSet wanted = CpuSet::of(list);
    AllowedCpus allowed;
    allowed.cpus = wanted & machine.allowed;
    for (const Unusable& unusable : unusable_cpus(machine, wanted)) {
        if (unusable.cpus.empty()) continue;
        const std::string what = fmt::format("CPU {} is {}", format_cpu_list(unusable.cpus), unusable.why);
        if (missing == MissingCpus::refuse) {
            return usage_error(fmt::format("{}; CPUs to choose from: {}", what, format_cpu_list(machine.allowed)));
        }
        allowed.notes.push_back(fmt::format("{}: left out", what));
    }
    if (allowed.cpus.empty()) {
        return usage_error(fmt::format("none of the CPUs {} can be used here; CPUs to choose from: {}",
                                       format_cpu_list(wanted), format_cpu_list(machine.allowed)));
    }
    return allowed;
}

}  // namespace pinwise
