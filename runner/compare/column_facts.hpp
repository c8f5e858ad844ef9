#pragma once
/// What is said of a column beside its metrics: how many trials, where their threads started, what was remarkable.
/// Pure.

#include <span>
#include <string>

#include "runner/compare/collector.hpp"
#include "runner/compare/comparison.hpp"

namespace pinwise {

StrategyColumn make_column(const CollectedColumn& collected, const Grouping& grouping,
                           std::span<const std::string> files);

}  // namespace pinwise
