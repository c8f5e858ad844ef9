#pragma once
/// The balancer's moves as CSV: one row per move, in order of time. The columns are documented in docs/balance.md.

#include <span>
#include <string>

#include "placer/balance/balance_move.hpp"

namespace pinwise {

/// The header line is there also when nothing moved.
std::string format_moves(std::span<const BalanceMove> moves);

/// "balancer: 4 moves off the busiest node, 4 home, 0 threads away at the end"
std::string describe(const BalanceSummary& summary);

}  // namespace pinwise
