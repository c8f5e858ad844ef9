#include "placer/policy/explicit_list.hpp"

#include <fmt/format.h>

#include "placer/topology/cpu_list.hpp"

namespace pinwise {

Result<void> ExplicitListPolicy::check(const CpuSet& allowed) const {
    for (const int cpu : cpus_) {
        if (!allowed.test(cpu)) {
            return usage_error(fmt::format("policy {}: CPU {} is not among the allowed CPUs {}", name(), cpu,
                                           format_cpu_list(allowed)));
        }
    }
    return {};
}

int ExplicitListPolicy::select(const PlacementQuery& query, std::vector<PlacementStep>* why) const {
    const std::size_t position = static_cast<std::size_t>(query.thread_index) % cpus_.size();
    if (why != nullptr) why->push_back({"list", fmt::format("entry {} of {}", position + 1, cpus_.size())});
    return cpus_[position];
}

}  // namespace pinwise
