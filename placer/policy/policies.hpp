#pragma once
/// The one list of policies.

#include <memory>
#include <span>
#include <string_view>

#include "placer/policy/policy.hpp"
#include "placer/result.hpp"

namespace pinwise {

/// What `pinwise list policies` prints.
struct PolicyInfo {
    std::string_view name;     ///< "idlest", "explicit:LIST"
    std::string_view summary;  ///< one sentence
};

std::span<const PolicyInfo> list_policies();

/// The policy the user named. Unknown names are usage errors that list the choices and suggest the nearest.
/// `idlest@running` depends on the machine and is refused: concrete_policy_name() (running_rule.hpp) comes first.
Result<std::unique_ptr<PlacementPolicy>> make_policy(std::string_view name);

}  // namespace pinwise
