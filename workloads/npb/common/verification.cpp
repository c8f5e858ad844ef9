#include "workloads/npb/common/verification.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace pinwise::npb {

Check relative_check(std::string name, double computed, double reference, double tolerance) {
    return {std::move(name), computed, reference, std::fabs((computed - reference) / reference), tolerance};
}

Check absolute_check(std::string name, double computed, double reference, double tolerance) {
    return {std::move(name), computed, reference, std::fabs(computed - reference), tolerance};
}

Check exact_check(std::string name, std::uint64_t computed, std::uint64_t reference) {
    const std::uint64_t distance = computed > reference ? computed - reference : reference - computed;
    return {std::move(name), static_cast<double>(computed), static_cast<double>(reference),
            static_cast<double>(distance), 0};
}

workloads::Verification verification_of(std::span<const Check> checks) {
    workloads::Verification verification;
    const Check* first_failed = nullptr;
    std::size_t failed = 0;
    for (const Check& check : checks) {
        // An error that is no number is the largest of all.
        if (!std::isnan(verification.max_error) && !(check.error <= verification.max_error))
            verification.max_error = check.error;
        verification.tolerance = std::max(verification.tolerance, check.tolerance);
        if (check.passed()) continue;
        ++failed;
        if (first_failed == nullptr) first_failed = &check;
    }
    verification.passed = !checks.empty() && failed == 0;
    if (checks.empty()) verification.message = "nothing was verified";
    if (first_failed != nullptr)
        verification.message =
            fmt::format("{} is {:.16g}, the official value is {:.16g}, error {:.3g} > {:.0e}", first_failed->name,
                        first_failed->computed, first_failed->reference, first_failed->error, first_failed->tolerance);
    if (failed > 1) verification.message += fmt::format("; {} more of {} differ", failed - 1, checks.size());
    return verification;
}

}  // namespace pinwise::npb
