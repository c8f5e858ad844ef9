#pragma once
/// The order trials run in: interleaved, so that a machine that slows down over the hour slows every strategy alike.

#include <cstdint>
#include <vector>

#include "runner/trial/trial.hpp"

namespace pinwise {

/// Blocks in ascending order of repetition, then case (workload, parameters, threads); within a block every strategy
/// once, shuffled. Sets `position`. The same seed gives the same order with every compiler and library: the shuffle is
/// Fisher and Yates' (Knuth, TAOCP 2, 3.4.2, algorithm P) from the last element down, on std::mt19937_64 (whose output
/// the standard fixes), with draws reduced modulo the range after rejecting the incomplete last interval.
std::vector<TrialSpec> interleaved_order(std::vector<TrialSpec> trials, std::uint64_t seed);

/// A seed for a run whose config names none.
std::uint64_t draw_seed();

}  // namespace pinwise
