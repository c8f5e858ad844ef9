#pragma once
/// numa_test at several numbers of jobs the way the field reads it: Schedbench, four means a strategy. Pure.

#include <span>
#include <string>
#include <string_view>

#include "runner/compare/comparison.hpp"

namespace pinwise {

/// For each number of jobs a block with one line a strategy: AverageUserTime, ElapsedTime, TotalUserTime and
/// TotalSysTime in seconds, means over the finished trials. "" where no workload is numa_test.
std::string schedbench_tables(std::span<const Comparison> comparisons, std::string_view machine_kind);

}  // namespace pinwise
