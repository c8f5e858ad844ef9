#pragma once
/// The loops that bench_stream compares with ours: plain C++, hand-written AVX2, and what was tried to go beyond.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace pinwise::bench {

enum class Kernel { copy, scale, add, triad };

inline constexpr std::array<Kernel, 4> kernels{Kernel::copy, Kernel::scale, Kernel::add, Kernel::triad};

/// One thread's parts of the three arrays; n is a multiple of `loop_granule`, the pointers are on cache lines.
struct Parts {
    double* a = nullptr;
    double* b = nullptr;
    double* c = nullptr;
    std::size_t n = 0;
};

/// Every loop below may assume that n is a multiple of this.
inline constexpr std::size_t loop_granule = 1024;

/// A way to run the four kernels, and how its arrays are to be laid out.
struct Loop {
    std::string name;
    void (*run)(Kernel kernel, const Parts& parts) = nullptr;
    std::size_t array_offset_bytes = 0;  ///< array j starts j times this beyond a huge page boundary
    bool is_reference = false;           ///< what ours must at least equal
};

/// `for (i) c[i] = a[i]` and so on, compiled with -O3 -march=native.
std::vector<Loop> plain_loops();

/// The level to reach: AVX2 intrinsics, four vectors a step, regular and nontemporal stores. Empty on other processors.
std::vector<Loop> avx2_loops();

/// Widths, unrolling, streams per thread, software prefetch, fused multiply-add, offsets between arrays.
std::vector<Loop> tried_loops();

}  // namespace pinwise::bench
