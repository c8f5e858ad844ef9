#pragma once
/// The four kernels of STREAM over one thread's elements, in vectors chosen at run time for this CPU.
///
/// Each takes n elements from any address and any n ≥ 0; inputs and output must not overlap in part. Results are bit
/// for bit those of the scalar loops: Triad multiplies, rounds, then adds (no fused multiply-add), so the closed form
/// of closed_form.hpp holds on every CPU.

#include <cstddef>
#include <string>
#include <string_view>

namespace pinwise::stream {

/// How results go to memory.
enum class Stores {
    regular,      ///< through the caches: the line is read before it is written (write-allocate)
    nontemporal,  ///< around the caches, where the CPU has such stores
};

std::string_view to_string(Stores stores);

/// c[i] = a[i]
void copy(const double* a, double* c, std::size_t n, Stores stores);

/// b[i] = q · c[i]
void scale(double q, const double* c, double* b, std::size_t n, Stores stores);

/// c[i] = a[i] + b[i]
void add(const double* a, const double* b, double* c, std::size_t n, Stores stores);

/// a[i] = b[i] + q · c[i]
void triad(double q, const double* b, const double* c, double* a, std::size_t n, Stores stores);

/// Name of the instruction set that the kernels above use on this CPU, as Highway calls it (AVX3, AVX2, NEON, …).
std::string vector_target();

/// Bytes of the vectors that the kernels above use on this CPU.
std::size_t vector_bytes();

}  // namespace pinwise::stream
