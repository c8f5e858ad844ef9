#pragma once
/// The words by which a user asks for the balancer.

#include <optional>
#include <string>
#include <string_view>

#include "placer/agent/session.hpp"
#include "placer/result.hpp"

namespace pinwise {

/// "none" (nothing), "node-affine" or "node-affine:PERCENT": cross_node_bal in percent. Anything else is a usage error.
Result<std::optional<int>> parse_balance(std::string_view text);

/// A percentage as the user writes it, within the limits of node_loads.hpp.
Result<int> parse_cross_node_bal(std::string_view text);

/// What holds a thread inside a node while the balancer decides on the node: the binding itself, but for `initial`,
/// under which the kernel would take threads over nodes: that is `node` then.
Bind bind_under_balancer(Bind bind);

}  // namespace pinwise
