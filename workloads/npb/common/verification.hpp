#pragma once
/// Comparison of computed values with the official ones. Pure.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "workloads/common/workload_report.hpp"

namespace pinwise::npb {

/// One value that a kernel must reproduce.
struct Check {
    std::string name;  ///< "zeta"
    double computed = 0;
    double reference = 0;
    double error = 0;      ///< relative or absolute, as the kernel's rule says
    double tolerance = 0;  ///< the largest error that passes

    /// False for an error that is no number.
    [[nodiscard]] bool passed() const { return error <= tolerance; }
};

/// |computed − reference| / |reference|
Check relative_check(std::string name, double computed, double reference, double tolerance);

/// |computed − reference|
Check absolute_check(std::string name, double computed, double reference, double tolerance);

/// Equal or not; the error is the distance.
Check exact_check(std::string name, std::uint64_t computed, std::uint64_t reference);

/// Passed if there is at least one check and all have passed. Otherwise the message names the first that has not, with
/// both values, and how many more there are.
workloads::Verification verification_of(std::span<const Check> checks);

}  // namespace pinwise::npb
