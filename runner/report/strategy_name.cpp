#include "runner/report/strategy_name.hpp"

#include "runner/compare/cells.hpp"

namespace pinwise::report {

std::string strategy_name(const StrategyColumn& column) {
    const auto [policy, cpus, held] = header_of(column);
    if (policy == "OS default") return policy;
    return fmt::format("{}, {}{}{}", policy, cpus, held.empty() ? "" : ", ", held);
}

}  // namespace pinwise::report
