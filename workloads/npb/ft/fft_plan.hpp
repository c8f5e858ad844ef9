#pragma once
/// Factors and roots of unity of the one-dimensional transforms.

#include <cstddef>
#include <vector>

namespace pinwise::npb::ft {

/// One stage of a self-sorting (Stockham) transform of length n, decimated in frequency: with s the product of the
/// radices before it and m = n / (s·radix), for all p < m and q < s it takes the inputs q + s(p + m·j), j < radix,
/// transforms them and stores result k, times exp(−2πi·p·k·s/n), at q + s(radix·p + k).
struct FftStage {
    std::size_t radix = 0;  ///< 4 or 8
    std::size_t s = 1;
    std::size_t m = 1;
    std::vector<double> twiddles;  ///< for each p the radix − 1 factors, real and imaginary part; empty when m is 1
};

/// A transform of any power of two n ≥ 4, exponent −2πi.
struct FftPlan {
    std::size_t n = 0;
    std::vector<FftStage> stages;
};

FftPlan plan_fft(std::size_t n);

/// A transform along x, where neighbours in a vector belong to the same line: x = 8·a + b is transformed along a for
/// all b at once, and then along b after multiplication with exp(−2πi·a'·b/n).
struct RowFftPlan {
    std::size_t n = 0;
    FftPlan outer;                 ///< of length n / 8
    std::vector<double> twiddles;  ///< for b = 1 … 7: n/8 real parts by a', then n/8 imaginary parts
};

/// n is a power of two ≥ 32.
RowFftPlan plan_row_fft(std::size_t n);

}  // namespace pinwise::npb::ft
