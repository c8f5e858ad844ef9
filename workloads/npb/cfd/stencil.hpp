#pragma once
/// The fourth-order dissipation along one direction, explicit in R(U) and implicit in SP's systems.

#include <array>
#include <cstddef>

namespace pinwise::npb::cfd {

/// Factors of the values at −2 … +2.
using Stencil = std::array<double, 5>;

/// Dissipation at point s, 1 ≤ s ≤ points − 2: fourth difference, without the values beyond a boundary in the two
/// points next to it.
constexpr Stencil dissipation_at(std::size_t s, std::size_t points) {
    const std::size_t last = points - 2;
    Stencil dissipation{1, -4, 6, -4, 1};
    if (s <= 2) dissipation[0] = 0;
    if (s + 1 >= last) dissipation[4] = 0;
    if (s == 1) dissipation[1] = 0;
    if (s == last) dissipation[3] = 0;
    if (s == 1 || s == last) dissipation[2] = 5;
    return dissipation;
}

}  // namespace pinwise::npb::cfd
