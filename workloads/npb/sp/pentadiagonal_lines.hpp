#pragma once
/// SP's factors: in characteristic variables each direction is five scalar pentadiagonal systems a line, three of them
/// with the same matrix. Solved by elimination without pivoting; the transformation to the next direction's variables
/// is part of the way back.

#include "workloads/npb/cfd/adi_method.hpp"

namespace pinwise::npb::sp {

/// As AdiMethod's members of these names.
void solve_planes(const cfd::AdiCall& call, cfd::Slab planes);
void solve_columns(const cfd::AdiCall& call, cfd::Slab rows);
std::size_t line_doubles(const cfd::Grid& grid);

}  // namespace pinwise::npb::sp
