#pragma once
/// All kernels of the NAS Parallel Benchmarks in one table, the way the field reads them: a block of `Time` rows and a
/// block of `sys-time` rows, one row a kernel and class. Pure.

#include <span>
#include <string>
#include <string_view>

#include "runner/compare/comparison.hpp"

namespace pinwise {

/// One table for the kernels with the same threads, parameters (the class aside) and strategies. Times are NPB's own,
/// of the timed region; sys-times the system CPU time of the whole process. "" where no workload is a kernel of NPB.
std::string kernel_tables(std::span<const Comparison> comparisons, std::string_view machine_kind);

}  // namespace pinwise
