#pragma once
/// The operators of MG, fused so that a sweep reads and writes each large array once, over one thread's block of a
/// level, in vectors chosen at run time for this CPU.
///
/// A block is swept tile by tile: a few rows at a time through all planes, with the planes in flight in a window that
/// stays in the second-level cache. What a tile needs beyond its edges it computes itself from arrays that no sweep
/// both reads and writes; so tiles and threads need nothing of each other, and the periodic borders are only wrapped
/// indices. Operators and their weights: RNR-94-007 (Bailey et al. 1994), 3.1; association of the sums is ours.

#include <cstddef>
#include <span>
#include <string>

#include "workloads/npb/mg/blocks.hpp"
#include "workloads/npb/mg/grid.hpp"

namespace pinwise::npb::mg {

/// Weights of a 27-point operator: of the point, its 6 face, 12 edge and 8 corner neighbours.
struct Weights {
    double centre = 0;
    double face = 0;
    double edge = 0;
    double corner = 0;
};

/// A, the discrete Laplacian. Its face weight is zero and never used.
inline constexpr Weights laplacian{-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0};

/// S of classes S, W and A, and of B and above. Their corner weight is zero and never used.
inline constexpr Weights smoother_a{-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0};
inline constexpr Weights smoother_b{-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0, 0.0};

/// Doubles of working memory that one thread needs for blocks of at most `rows` rows of a level of n³ points.
std::size_t scratch_elements(std::size_t n, std::size_t rows);

/// r = v − A u on the block; returns Σ r². Where `coarse` is not empty also the restriction P r, of the coarse points
/// that belong to the block. r itself lives only in the window.
double residual_restrict(ConstGrid u, ConstGrid v, Grid coarse, const Block& block, std::span<double> scratch);

/// coarse = P fine, of the coarse points that belong to the block of the fine level.
void restrict_grid(ConstGrid fine, Grid coarse, const Block& block, std::span<double> scratch);

/// What interpolate_smooth works on.
struct SmoothingStep {
    ConstGrid coarse_u;    ///< the correction of the next coarser level
    ConstGrid old_u;       ///< u before; empty where it is zero
    ConstGrid right_side;  ///< v on the finest level, r elsewhere
    Grid new_u;            ///< overlaps none of the others
    Weights smoother;
};

/// w = old_u + Q coarse_u, r = right_side − A w, new_u = w + S r on the block; w and r live only in the window.
void interpolate_smooth(const SmoothingStep& step, const Block& block, std::span<double> scratch);

/// u = S r on the coarsest level, where u is zero before.
void smooth_from_zero(ConstGrid r, Grid u, const Weights& smoother, std::span<double> scratch);

/// Name of the instruction set that the sweeps use on this CPU, as Highway calls it (AVX3, AVX2, NEON, …).
std::string vector_target();

}  // namespace pinwise::npb::mg
