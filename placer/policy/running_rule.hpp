#pragma once
/// `idlest@running`: which kernel rule a kernel follows, as far as its version tells.
///
/// Stable series take fixes: 82d6e01a0699 of 6.19 is in 6.18.39, 6.6.145, 6.1.178 and 5.10.261 (stable announcements)
/// and was seen in 6.12.117. Distributions may hide the stable number (Debian's `uname -r` is 6.1.0-48-amd64, the
/// number is in `uname -v`), or take changes without changing the number at all; then `why` says so.

#include <optional>
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

/// The rule behind `idlest@running` and behind the number of a release that is no rule's name (`idlest@5.17`,
/// `idlest@6.1.178`); nothing for every other name. Errors (usage): as rule_of_kernel().
Result<std::optional<RunningRule>> rule_meant_by(std::string_view policy, const KernelIdentity& running);

/// The name that make_policy() takes: where rule_meant_by() has a rule its own name ("idlest@6.19"), else `name`.
/// To be called with running_kernel() where a name comes from the user, before it is stored anywhere.
Result<std::string> concrete_policy_name(std::string_view name, const KernelIdentity& running);

}  // namespace pinwise
