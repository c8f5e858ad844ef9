#include "placer/policy/policies.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "placer/nearest_name.hpp"
#include "placer/policy/close.hpp"
#include "placer/policy/explicit_list.hpp"
#include "placer/policy/idlest.hpp"
#include "placer/policy/llc.hpp"
#include "placer/policy/node.hpp"
#include "placer/policy/os.hpp"
#include "placer/policy/random.hpp"
#include "placer/policy/spread.hpp"
#include "placer/quoted.hpp"
#include "placer/topology/cpu_list.hpp"

namespace pinwise {

namespace {

constexpr std::string_view default_rule = "v6";
constexpr std::string_view idlest_prefix = "idlest@";
constexpr std::string_view explicit_prefix = "explicit:";
constexpr std::string_view random_prefix = "random:";

constexpr std::array infos{
    PolicyInfo{"os", "leave it to the kernel: the control of every comparison"},
    PolicyInfo{"idlest",
               "pinned-aware idlest-group spreading: stay near the creator up to min(allowed local CPUs, imb_numa_nr), "
               "then the idlest node, LLC, core"},
    PolicyInfo{"idlest@running", "the same walk by the rule of the running kernel, as far as its version tells"},
    PolicyInfo{"idlest@5.5", "by the rule of Linux 5.5 to 5.10: stay while the node has any idle CPU"},
    PolicyInfo{"idlest@5.10.261",
               "by the rule of 5.10.261 and later of 5.10: stay while the node has an idle allowed CPU"},
    PolicyInfo{"idlest@5.11", "by the rule of 5.11 to 5.17: stay below a quarter of the domain's CPUs"},
    PolicyInfo{"idlest@5.18", "by the rule of 5.18 and 5.19: stay up to imb_numa_nr, mask ignored"},
    PolicyInfo{"idlest@v6", "by the rule of the 2022 patch: the same as idlest"},
    PolicyInfo{"idlest@6.0", "by the rule of 6.0 to 6.18: the mask is honoured, small imbalances are tolerated"},
    PolicyInfo{"idlest@6.19", "by the rule of 6.19 and fixed stable kernels: only allowed CPUs are counted"},
    PolicyInfo{"llc", "one thread per LLC, balanced over nodes by allowed capacity, then cores, SMT siblings last"},
    PolicyInfo{"node", "round-robin over nodes; inside a node close together, SMT siblings last"},
    PolicyInfo{"close", "OpenMP's proc_bind(close): the next core after the creator's, SMT siblings last"},
    PolicyInfo{"spread", "OpenMP's proc_bind(spread): the free core farthest from the taken ones, SMT siblings last"},
    PolicyInfo{"random[:SEED]",
               "uniformly random over the allowed CPUs, threads may share one; SEED is 0 if not given"},
    PolicyInfo{"explicit:LIST", "thread i on the i-th CPU of LIST (0,2,4-7), from the front again where it is shorter"},
};

using MadePolicy = Result<std::unique_ptr<PlacementPolicy>>;

tl::unexpected<Error> unknown_policy(std::string_view name) {
    std::vector<std::string_view> names;
    names.reserve(infos.size());
    for (const PolicyInfo& info : infos)
        names.push_back(info.name);
    const auto similar = similar_name(name, names);
    return usage_error(fmt::format("unknown policy {}{}; policies: {}", in_quotes(name),
                                   similar ? fmt::format(": did you mean {}?", *similar) : "", fmt::join(names, ", ")));
}

MadePolicy make_explicit(std::string_view list) {
    auto cpus = parse_cpu_list(list);
    if (!cpus) return usage_error(fmt::format("policy explicit: {}", cpus.error().message));
    return std::make_unique<ExplicitListPolicy>(std::string(list), std::move(*cpus));
}

MadePolicy make_random(std::string_view name, std::string_view seed_text) {
    std::uint64_t seed = 0;
    const char* const end = seed_text.data() + seed_text.size();
    const auto parsed = std::from_chars(seed_text.data(), end, seed);
    if (parsed.ec != std::errc{} || parsed.ptr != end) {
        return usage_error(
            fmt::format("policy {}: the seed is not a number of 0 to 18446744073709551615", in_quotes(name)));
    }
    return std::make_unique<RandomPolicy>(std::string(name), seed);
}

MadePolicy make_idlest(std::string_view name, std::string_view rule_name) {
    if (rule_name == "running")
        return usage_error(
            "policy idlest@running has to be resolved for a kernel: name the rule, see pinwise list policies");
    const KernelRule* rule = find_kernel_rule(rule_name);
    if (rule == nullptr) return unknown_policy(name);
    return std::make_unique<IdlestPolicy>(std::string(name), *rule);
}

}  // namespace

std::span<const PolicyInfo> list_policies() {
    return infos;
}

Result<std::unique_ptr<PlacementPolicy>> make_policy(std::string_view name) {
    if (name == "os") return std::make_unique<OsPolicy>();
    if (name == "idlest") return make_idlest(name, default_rule);
    if (name == "llc") return std::make_unique<LlcPolicy>();
    if (name == "node") return std::make_unique<NodePolicy>();
    if (name == "close") return std::make_unique<ClosePolicy>();
    if (name == "spread") return std::make_unique<SpreadPolicy>();
    if (name == "random") return std::make_unique<RandomPolicy>(std::string(name), 0);
    if (name.starts_with(idlest_prefix)) return make_idlest(name, name.substr(idlest_prefix.size()));
    if (name.starts_with(random_prefix)) return make_random(name, name.substr(random_prefix.size()));
    if (name.starts_with(explicit_prefix)) return make_explicit(name.substr(explicit_prefix.size()));
    return unknown_policy(name);
}

}  // namespace pinwise
