#pragma once
/// The random numbers of the NAS Parallel Benchmarks: a linear congruential generator over 46-bit integers,
/// X_k = a·X_{k−1} mod 2^46 with a = 5^13, r_k = X_k·2^−46 in (0, 1). Exact in 64-bit integers and in double.
/// Source: Bailey et al., The NAS Parallel Benchmarks, RNR-94-007 (1994), 2.3.

#include <cstdint>
#include <span>

namespace pinwise::npb {

inline constexpr std::uint64_t lcg_multiplier = 1'220'703'125;  ///< a = 5^13
inline constexpr std::uint64_t lcg_mask = (std::uint64_t{1} << 46U) - 1;
inline constexpr double lcg_scale = 0x1p-46;

/// Seed of every kernel but EP.
inline constexpr std::uint64_t default_seed = 314'159'265;

/// x·y mod 2^46. What the 64-bit product loses is above the bits that are kept.
constexpr std::uint64_t lcg_product(std::uint64_t x, std::uint64_t y) {
    return (x * y) & lcg_mask;
}

/// multiplier^steps mod 2^46: the multiplier that takes `steps` steps at once.
constexpr std::uint64_t lcg_power(std::uint64_t steps, std::uint64_t multiplier = lcg_multiplier) {
    std::uint64_t power = 1;
    for (; steps != 0; steps >>= 1U) {
        if ((steps & 1U) != 0) power = lcg_product(power, multiplier);
        multiplier = lcg_product(multiplier, multiplier);
    }
    return power;
}

/// r of a state X.
constexpr double to_uniform(std::uint64_t state) {
    return lcg_scale * static_cast<double>(state);
}

/// The sequence r_1, r_2, … after a seed, one number at a time.
class RandomStream {
public:
    constexpr explicit RandomStream(std::uint64_t seed = default_seed) : state_(seed) {}

    /// X of the next number.
    constexpr std::uint64_t next_state() {
        state_ = lcg_product(state_, lcg_multiplier);
        return state_;
    }

    constexpr double next() { return to_uniform(next_state()); }

    /// The next numbers, in order ("vranlc").
    constexpr void fill(std::span<double> numbers) {
        for (double& number : numbers)
            number = next();
    }

    /// Leaves out `steps` numbers in at most 46 multiplications.
    constexpr void skip(std::uint64_t steps) { state_ = lcg_product(state_, lcg_power(steps)); }

    /// X of the last number drawn; the seed before the first.
    [[nodiscard]] constexpr std::uint64_t state() const { return state_; }

private:
    std::uint64_t state_;
};

}  // namespace pinwise::npb
