#pragma once
/// Which part of a level belongs to which thread.

#include <cstddef>

namespace pinwise::npb::mg {

/// Planes [z_begin, z_end) and of each the rows [y_begin, y_end). All four are even, so that the points of the next
/// coarser level, one for two in each dimension, are cut the same way.
struct Block {
    std::size_t z_begin = 0;
    std::size_t z_end = 0;
    std::size_t y_begin = 0;
    std::size_t y_end = 0;

    [[nodiscard]] bool empty() const { return z_begin == z_end || y_begin == y_end; }
};

/// How many parts a level is cut into.
struct BlockGrid {
    std::size_t slabs = 1;  ///< in z
    std::size_t parts = 1;  ///< in y, of every slab

    [[nodiscard]] std::size_t count() const { return slabs * parts; }
};

/// Below so many points a thread's share costs less than waking the thread.
inline constexpr std::size_t least_points_per_thread = 4096;

/// The cut of a level of n³ points for at most `threads` threads: whole planes, so that a thread's pages are its own,
/// until slabs would be thinner than eight planes (a sweep computes up to two planes beyond each end of its slab);
/// then in y too. Threads beyond count() have nothing to do on the level.
BlockGrid block_grid(std::size_t n, std::size_t threads);

/// The block of `thread`; empty for a thread beyond grid.count().
Block block_of(std::size_t thread, const BlockGrid& grid, std::size_t n);

}  // namespace pinwise::npb::mg
