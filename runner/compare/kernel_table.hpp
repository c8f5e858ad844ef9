#pragma once
/// All kernels of the NAS Parallel Benchmarks in one table, the way the field reads them: a block of `Time` rows and a
/// block of `sys-time` rows, one row a kernel and class. Pure.

#include <span>
#include <string>
#include <vector>

#include "runner/compare/cells.hpp"
#include "runner/compare/comparison.hpp"

namespace pinwise {

/// Whether a comparison is of a kernel of NPB.
bool is_kernel(const Comparison& comparison);

/// A kernel's comparison with its class taken out of the parameters.
struct KernelCase {
    const Comparison* comparison = nullptr;
    std::string name;  ///< "ep.D"
    std::string other_parameters;
};

/// Kernels with the same threads, parameters (the class aside) and columns.
struct KernelGroup {
    std::string title;  ///< "NPB, 8 threads, touch=parallel"
    std::vector<KernelCase> kernels;
};

std::vector<KernelGroup> group_kernels(std::span<const Comparison> comparisons);

/// One table for the kernels with the same threads, parameters (the class aside) and strategies. Times are NPB's own,
/// of the timed region; sys-times the system CPU time of the whole process. "" where no workload is a kernel of NPB.
std::string kernel_tables(std::span<const Comparison> comparisons, const TableOptions& options);

}  // namespace pinwise
