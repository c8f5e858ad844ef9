#pragma once
/// `idlest@running`: which kernel rule a kernel follows, as far as its version tells.
///
/// Stable series take fixes: 82d6e01a0699 of 6.19 is in 6.18.39, 6.6.145, 6.1.178 and 5.10.261 (stable announcements)
/// and was seen in 6.12.117. Distributions may hide the stable number (Debian's `uname -r` is 6.1.0-48-amd64, the
/// number is in `uname -v`), or take changes without changing the number at all; then `why` says so.

#include <string>
#include <string_view>

#include "placer/policy/kernel_rule.hpp"
#include "placer/result.hpp"
#include "placer/topology/running_kernel.hpp"

namespace pinwise {

struct RunningRule {
    const KernelRule* rule = nullptr;  ///< never null in a result
    std::string why;                   ///< one line: the version that was read, what decided, what it does not tell
};

/// Errors (usage): a version that cannot be read, or one before 5.5, whose load-based placement is not modelled.
Result<RunningRule> rule_of_kernel(const KernelIdentity& kernel);

/// The name that make_policy() takes: `idlest@running` becomes the rule of `kernel` ("idlest@6.19"), every other name
/// stays as it is. To be called with running_kernel() where a name comes from the user, before it is stored anywhere.
Result<std::string> concrete_policy_name(std::string_view name, const KernelIdentity& kernel);

}  // namespace pinwise
