#pragma once
/// How FT's complex numbers lie in memory.

#include <cstddef>

namespace pinwise::npb::ft {

/// Points of a cache line: four real parts, then their four imaginary parts.
inline constexpr std::size_t group_points = 4;
inline constexpr std::size_t group_doubles = 2 * group_points;

/// Points beside each other in x that are transformed together along y or z: 256 bytes.
inline constexpr std::size_t bundle_points = 16;
inline constexpr std::size_t bundle_doubles = 2 * bundle_points;

/// Points per dimension, powers of two: nx at least 32, ny and nz at least 4.
struct Extent {
    std::size_t nx = 0;
    std::size_t ny = 0;
    std::size_t nz = 0;

    [[nodiscard]] constexpr std::size_t points() const { return nx * ny * nz; }
    [[nodiscard]] constexpr std::size_t bundles_per_row() const { return nx / bundle_points; }

    /// Bundles of whole lines in z, which is also how many the spectrum consists of.
    [[nodiscard]] constexpr std::size_t bundles() const { return bundles_per_row() * ny; }
};

/// The field in space: rows of nx points, planes of ny rows, nz planes. Rows and planes are padded, so that points
/// above each other do not fall into the same cache sets.
struct FieldShape {
    Extent extent;

    [[nodiscard]] constexpr std::size_t row_stride() const { return 2 * extent.nx + 2 * group_doubles; }
    [[nodiscard]] constexpr std::size_t plane_stride() const { return extent.ny * row_stride() + 6 * group_doubles; }
    [[nodiscard]] constexpr std::size_t elements() const { return extent.nz * plane_stride(); }

    /// Where the real part of a point is, in doubles; its imaginary part is group_points further.
    [[nodiscard]] constexpr std::size_t offset(std::size_t x, std::size_t y, std::size_t z) const {
        return z * plane_stride() + y * row_stride() + x / group_points * group_doubles + x % group_points;
    }
};

/// The spectrum: bundle after bundle in the order of x, then y; in a bundle all of z. So whoever transforms lines along
/// z reads it from one end to the other.
struct SpectrumShape {
    Extent extent;

    [[nodiscard]] constexpr std::size_t bundle_stride() const { return extent.nz * bundle_doubles; }
    [[nodiscard]] constexpr std::size_t elements() const { return extent.bundles() * bundle_stride(); }
};

}  // namespace pinwise::npb::ft
