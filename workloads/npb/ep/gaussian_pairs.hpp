#pragma once
/// The work of EP: pairs of uniform numbers, those in the unit circle made into independent Gaussian deviates by the
/// polar method, counted by square annulus. Vectors chosen at run time for this CPU.

#include <array>
#include <cstdint>
#include <string>

namespace pinwise::npb::ep {

inline constexpr std::uint64_t seed = 271'828'183;

/// Pairs of one batch. A batch's random numbers are found without those before it.
inline constexpr std::uint64_t batch_pairs = std::uint64_t{1} << 16U;

inline constexpr std::size_t annuli = 10;

/// What is kept of the pairs: how many were accepted with max(|X|, |Y|) in [l, l + 1), and sums of the deviates.
struct PairTally {
    std::array<std::uint64_t, annuli> counts{};
    double sum_x = 0;
    double sum_y = 0;
    double sum_abs_x = 0;
    double sum_abs_y = 0;

    PairTally& operator+=(const PairTally& other);

    /// Pairs accepted.
    [[nodiscard]] std::uint64_t pairs() const;
};

/// Tallies the batches [first, first + count). Numbers and counts are exact, deviates accurate to a few units in the
/// last place. Sums are formed batch by batch, so that the signed ones keep their digits.
PairTally tally_batches(std::uint64_t first, std::uint64_t count);

/// Name of the instruction set that tally_batches uses on this CPU, as Highway calls it.
std::string vector_target();

}  // namespace pinwise::npb::ep
