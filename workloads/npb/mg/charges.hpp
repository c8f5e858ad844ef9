#pragma once
/// The right-hand side of MG: ten positive and ten negative unit charges where a random field is largest and smallest.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/npb/mg/grid.hpp"

namespace pinwise::npb::mg {

inline constexpr std::size_t charges_of_a_sign = 10;

/// A point by its number x + n·(y + n·z).
using PointNumber = std::uint64_t;

struct Charges {
    std::array<PointNumber, charges_of_a_sign> positive{};  ///< where the numbers are largest, largest first
    std::array<PointNumber, charges_of_a_sign> negative{};  ///< where they are smallest, smallest first
};

/// Numbers the n³ points in order, gives point p the random number r_{p+1}, and finds the ten largest and smallest,
/// with `threads` OpenMP threads ("zran3" of NPB). All numbers are distinct, so the result does not depend on the
/// threads.
Charges find_charges(std::size_t n, int threads);

/// Sets v to +1 and −1 at the charges. The rest of v stays as it is.
void place_charges(const Charges& charges, Grid v);

}  // namespace pinwise::npb::mg
