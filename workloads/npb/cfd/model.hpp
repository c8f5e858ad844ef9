#pragma once
/// The model problem of BT, SP and LU: constants of the compressible Navier-Stokes-like system and its discretisation
/// on the unit cube. Definition: NASA Ames RNR-94-007 (Bailey et al. 1994), with the names used there.

#include <array>
#include <cstddef>

namespace pinwise::npb::cfd {

inline constexpr double c1 = 1.4;
inline constexpr double c2 = 0.4;
inline constexpr double c3c4 = 0.1;
inline constexpr double c1c5 = 1.96;
inline constexpr double c1345 = c1c5 * c3c4;
/// Viscous factor of the velocity along the direction of differentiation; 1 across it.
inline constexpr double con43 = 4.0 / 3.0;
inline constexpr double con16 = 1.0 / 6.0;
inline constexpr double conz1 = 1.0 - c1c5;
/// Second-order diffusion along x, y, z, equal for all components.
inline constexpr std::array<double, 3> diffusion{0.75, 0.75, 1.0};
/// Fourth-order dissipation.
inline constexpr double dssp = 0.25;

/// A point's values: density, momenta along x, y, z, total energy; or any five numbers that go with them.
using State = std::array<double, 5>;

/// What depends on the number of points per dimension.
struct Spacing {
    explicit constexpr Spacing(std::size_t points)
        : h(1.0 / static_cast<double>(points - 1)), t1(1.0 / (h * h)), t2(1.0 / (2.0 * h)), t3(1.0 / h) {}

    double h;   ///< distance between points
    double t1;  ///< of second differences
    double t2;  ///< of central first differences
    double t3;  ///< of first differences
};

/// The exact solution at (x, y, z), each in [0, 1].
State exact_solution(double x, double y, double z);

/// The initial interior state at (x, y, z): transfinite blend of the exact solution on the six faces.
State blended_state(double x, double y, double z);

}  // namespace pinwise::npb::cfd
