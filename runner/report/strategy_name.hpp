#pragma once
/// How a strategy is called in a sentence.

#include <string>

#include "runner/compare/comparison.hpp"

namespace pinwise::report {

/// "idlest, cpus one-per-thread, bind cpu"; the control is "OS default".
std::string strategy_name(const StrategyColumn& column);

}  // namespace pinwise::report
