#pragma once
/// Where the points of a field are in memory: the one data layout of BT, SP and LU. docs/workloads/npb-cfd.md has its
/// reasons.

#include <cstddef>

namespace pinwise::npb::cfd {

/// Components of the state at a point: density, the three momenta, total energy.
inline constexpr std::size_t components = 5;

/// Doubles of a cache line, and of the widest vectors in use: rows begin and interior points are counted in such
/// groups.
inline constexpr std::size_t line_doubles = 8;

/// A field holds 5 components on n³ points as [k][j][component][i], i contiguous. A row (k, j, component) begins on a
/// cache line, point i = 1 too: the interior is aligned for vectors. The places around i = 0 … n − 1 are padding that
/// holds valid states. Row and plane strides are odd numbers of cache lines, so that neighbouring rows and planes never
/// compete for the same cache sets.
class Grid {
public:
    /// A cube of `points` (≥ 5) points per dimension, boundary included.
    explicit constexpr Grid(std::size_t points)
        : points_(points),
          pitch_(odd_lines(points + first_interior - 1)),
          row_(components * pitch_),
          plane_(odd_lines(points * row_)) {}

    /// Index within a row of point i = 1.
    static constexpr std::size_t first_interior = line_doubles;

    /// Index within a row of point i.
    static constexpr std::size_t place(std::size_t i) { return i + first_interior - 1; }

    [[nodiscard]] constexpr std::size_t points() const { return points_; }
    [[nodiscard]] constexpr std::size_t interior() const { return points_ - 2; }
    /// Interior points of a row, rounded up to whole groups.
    [[nodiscard]] constexpr std::size_t padded_interior() const { return round_up(interior()); }
    /// Doubles from a component's row to the next component's.
    [[nodiscard]] constexpr std::size_t pitch() const { return pitch_; }
    /// Doubles from (k, j) to (k, j + 1).
    [[nodiscard]] constexpr std::size_t row() const { return row_; }
    /// Doubles from (k, j) to (k + 1, j).
    [[nodiscard]] constexpr std::size_t plane() const { return plane_; }
    /// Offset of the row (k, j) of the first component.
    [[nodiscard]] constexpr std::size_t offset(std::size_t k, std::size_t j) const { return k * plane_ + j * row_; }
    /// Offset of one value.
    [[nodiscard]] constexpr std::size_t offset(std::size_t k, std::size_t j, std::size_t component,
                                               std::size_t i) const {
        return offset(k, j) + component * pitch_ + place(i);
    }
    /// Doubles of a whole field; vectors that hang over its last row stay inside.
    [[nodiscard]] constexpr std::size_t doubles() const { return points_ * plane_ + 4 * line_doubles; }

    static constexpr std::size_t round_up(std::size_t count) {
        return (count + line_doubles - 1) / line_doubles * line_doubles;
    }

private:
    static constexpr std::size_t odd_lines(std::size_t doubles) {
        const std::size_t rounded = round_up(doubles);
        return rounded / line_doubles % 2 == 1 ? rounded : rounded + line_doubles;
    }

    std::size_t points_;
    std::size_t pitch_;
    std::size_t row_;
    std::size_t plane_;
};

/// Consecutive interior planes or rows [begin, end).
struct Slab {
    std::size_t begin = 1;
    std::size_t end = 1;

    [[nodiscard]] constexpr bool empty() const { return begin >= end; }
    [[nodiscard]] constexpr std::size_t size() const { return end - begin; }
};

/// Threads that get any of `grid`'s interior planes (or rows): the first ones of the team, at most one a plane.
constexpr std::size_t active_threads(const Grid& grid, std::size_t threads) {
    return threads < grid.interior() ? threads : grid.interior();
}

/// The interior planes (or rows) of one thread of a team: equal shares, in the threads' order; empty for a thread
/// beyond active_threads().
constexpr Slab slab_of(const Grid& grid, std::size_t thread, std::size_t threads) {
    const std::size_t active = active_threads(grid, threads);
    if (thread >= active) return {};
    return {1 + grid.interior() * thread / active, 1 + grid.interior() * (thread + 1) / active};
}

}  // namespace pinwise::npb::cfd
