#include "placer/policy/policies.hpp"

#include <array>

#include <fmt/format.h>

#include "placer/nearest_name.hpp"
#include "placer/policy/explicit_list.hpp"
#include "placer/policy/idlest.hpp"
#include "placer/policy/os.hpp"
#include "placer/topology/cpu_list.hpp"

namespace pinwise {

namespace {

constexpr std::string_view default_rule = "v6";

constexpr std::array infos{
    PolicyInfo{"os", "leave it to the kernel: the control of every comparison"},
    PolicyInfo{"idlest",
               "pinned-aware idlest-group spreading: stay near the creator up to min(allowed local CPUs, imb_numa_nr), "
               "then the idlest "
               "node, LLC, core"},
    PolicyInfo{"idlest@5.5", "the same walk by the rule of Linux 5.5 to 5.10: stay while the node has any idle CPU"},
    PolicyInfo{"idlest@5.11", "by the rule of 5.11 to 5.17: stay below a quarter of the domain's CPUs"},
    PolicyInfo{"idlest@5.18", "by the rule of 5.18 and 5.19: stay up to imb_numa_nr, mask ignored"},
    PolicyInfo{"idlest@v6", "by the rule of the 2022 patch: the same as idlest"},
    PolicyInfo{"idlest@6.0", "by the rule of 6.0 to 6.18: the mask is honoured, small imbalances are tolerated"},
    PolicyInfo{"idlest@6.19", "by the rule of 6.19 and fixed stable kernels: only allowed CPUs are counted"},
    PolicyInfo{"explicit:LIST", "thread i on the i-th CPU of LIST (0,2,4-7), from the front again where it is shorter"},
};

tl::unexpected<Error> unknown_policy(std::string_view name) {
    std::vector<std::string_view> names;
    names.reserve(infos.size());
    for (const PolicyInfo& info : infos)
        names.push_back(info.name);
    return usage_error(fmt::format("unknown policy \"{}\": did you mean {}? Policies: {}", name,
                                   nearest_name(name, names), fmt::join(names, ", ")));
}

Result<std::unique_ptr<PlacementPolicy>> make_explicit(std::string_view list) {
    auto cpus = parse_cpu_list(list);
    if (!cpus) return usage_error(fmt::format("policy explicit: {}", cpus.error().message));
    return std::make_unique<ExplicitListPolicy>(std::string(list), std::move(*cpus));
}

}  // namespace

std::span<const PolicyInfo> list_policies() {
    return infos;
}

Result<std::unique_ptr<PlacementPolicy>> make_policy(std::string_view name) {
    constexpr std::string_view explicit_prefix = "explicit:";
    constexpr std::string_view idlest_prefix = "idlest@";
    if (name == "os") return std::make_unique<OsPolicy>();
    if (name == "idlest") return std::make_unique<IdlestPolicy>(std::string(name), *find_kernel_rule(default_rule));
    if (name.starts_with(explicit_prefix)) return make_explicit(name.substr(explicit_prefix.size()));
    if (name.starts_with(idlest_prefix)) {
        const KernelRule* rule = find_kernel_rule(name.substr(idlest_prefix.size()));
        if (rule != nullptr) return std::make_unique<IdlestPolicy>(std::string(name), *rule);
    }
    return unknown_policy(name);
}

}  // namespace pinwise
