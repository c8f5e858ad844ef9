#pragma once
/// BT's factors: block-tridiagonal systems of 5×5 blocks along lines, solved by block elimination without pivoting.

#include "workloads/npb/cfd/adi_method.hpp"

namespace pinwise::npb::bt {

/// As AdiMethod's members of these names.
void solve_planes(const cfd::AdiCall& call, cfd::Slab planes);
void solve_columns(const cfd::AdiCall& call, cfd::Slab rows);
std::size_t line_doubles(const cfd::Grid& grid);

}  // namespace pinwise::npb::bt
