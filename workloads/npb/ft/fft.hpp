#pragma once
/// One-dimensional transforms of many lines at once, unnormalised, exponent −2πi, in vectors chosen at run time for
/// this CPU. The other sign is the same transform with real and imaginary parts exchanged before and after.

#include <cstddef>
#include <span>
#include <string>

#include "workloads/npb/ft/fft_plan.hpp"
#include "workloads/npb/ft/field.hpp"

namespace pinwise::npb::ft {

/// Doubles of working memory that one thread needs for lines of an extent.
std::size_t scratch_elements(const Extent& extent);

/// Transforms a row of plan.n points in place along x, and asks for `next_row` ahead (any address, never read).
void transform_row(const RowFftPlan& plan, double* row, const double* next_row, std::span<double> scratch);

/// Transforms a bundle of lines whose points are `stride` doubles apart, in place.
void transform_bundle(const FftPlan& plan, double* first, std::size_t stride, std::span<double> scratch);

/// Transforms a bundle of lines of a field, `stride` doubles from point to point, into a contiguous bundle.
void gather_transform_bundle(const FftPlan& plan, const double* first, std::size_t stride, double* bundle,
                             std::span<double> scratch);

/// The decay of a bundle: the factor of point x of the bundle and k along the line is across[x]·along[k].
struct Decay {
    std::span<const double> across;  ///< bundle_points factors
    std::span<const double> along;   ///< one factor a point of the line
};

/// Multiplies a contiguous bundle of the spectrum by its decay, exchanges real and imaginary parts, transforms, and
/// scatters the result to points `stride` doubles apart, around the caches.
void decay_transform_bundle(const FftPlan& plan, const double* bundle, const Decay& decay, double* first,
                            std::size_t stride, std::span<double> scratch);

/// Name of the instruction set that the transforms use on this CPU, as Highway calls it (AVX3, AVX2, NEON, …).
std::string vector_target();

}  // namespace pinwise::npb::ft
