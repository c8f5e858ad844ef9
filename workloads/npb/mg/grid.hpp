#pragma once
/// One level of the multigrid hierarchy: a periodic cube of n³ doubles.

#include <cstddef>
#include <span>

namespace pinwise::npb::mg {

/// How n³ points lie in memory: rows of n contiguous points (x), planes of n rows (y), n planes (z). There are no ghost
/// layers: whoever reads beyond an edge wraps the index, which n being a power of two makes cheap.
struct GridShape {
    std::size_t n = 0;             ///< points per dimension, a power of two ≥ 2
    std::size_t plane_stride = 0;  ///< doubles from a plane to the next

    /// Planes are padded, so that equal rows of neighbouring planes do not fall into the same cache sets.
    static constexpr GridShape of(std::size_t n) {
        constexpr std::size_t pad = 40;
        return {n, n * n + (n >= 16 ? pad : 0)};
    }

    /// Doubles of the whole level.
    [[nodiscard]] constexpr std::size_t elements() const { return n * plane_stride; }

    /// An index that may be −n … 2n − 1, or beyond, back into 0 … n − 1.
    [[nodiscard]] constexpr std::size_t wrap(std::ptrdiff_t index) const {
        return static_cast<std::size_t>(index) & (n - 1);
    }
};

/// A level's values and their shape. T is double or const double. Levels of n ≥ 8 begin on a cache line, and so do
/// their rows.
template <class T>
struct GridView {
    std::span<T> values;
    GridShape shape;

    /// Row (y, z); both are wrapped.
    [[nodiscard]] T* row(std::ptrdiff_t y, std::ptrdiff_t z) const {
        return values.data() + shape.wrap(z) * shape.plane_stride + shape.wrap(y) * shape.n;
    }

    [[nodiscard]] bool empty() const { return values.empty(); }

    // NOLINTNEXTLINE(google-explicit-constructor): a view to read is a view to write with less power
    operator GridView<const T>() const { return {values, shape}; }
};

using Grid = GridView<double>;
using ConstGrid = GridView<const double>;

}  // namespace pinwise::npb::mg
