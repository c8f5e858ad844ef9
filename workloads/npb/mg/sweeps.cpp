#include "workloads/npb/mg/sweeps.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "workloads/npb/mg/scratch.hpp"

// Vectors of scalable targets cannot be held in aggregates; NEON serves those CPUs.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/npb/mg/sweeps.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::mg::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// At most 32 bytes a vector, as in pinwise-stream. Levels with rows shorter than two of them go point by point.
using Vector = hn::CappedTag<double, 4>;
using Point = hn::CappedTag<double, 1>;
constexpr std::size_t least_vector_n = 8;

/// From this size on a level exceeds the caches, and its stores go around them.
constexpr std::size_t least_nontemporal_n = 128;

/// A stencil at some points of a row, see StencilRow.
template <class V>
struct StencilParts {
    V here;
    V beside;
};

/// The parts of A x from the sums over face and edge neighbours in y and z: face weight zero.
struct Laplacian {
    template <class D, class V = hn::Vec<D>>
    HWY_INLINE StencilParts<V> operator()(D d, V centre, V faces, V edges) const {
        return {hn::MulAdd(hn::Set(d, laplacian.edge), edges, hn::Mul(hn::Set(d, laplacian.centre), centre)),
                hn::MulAdd(hn::Set(d, laplacian.edge), faces, hn::Mul(hn::Set(d, laplacian.corner), edges))};
    }
};

/// Those of S x: corner weight zero.
struct Smoother {
    Weights weights;

    template <class D, class V = hn::Vec<D>>
    HWY_INLINE StencilParts<V> operator()(D d, V centre, V faces, V edges) const {
        const V face = hn::Set(d, weights.face);
        const V edge = hn::Set(d, weights.edge);
        return {hn::MulAdd(edge, edges, hn::MulAdd(face, faces, hn::Mul(hn::Set(d, weights.centre), centre))),
                hn::MulAdd(edge, faces, hn::Mul(face, centre))};
    }
};

/// What the next pair of rows will read from memory: two addresses of which two contiguous rows are asked for ahead.
/// Tiles are too narrow for the hardware's own prefetching, which begins anew on every page. Addresses beyond the end
/// of an array are harmless.
struct Ahead {
    std::array<const double*, 2> row_pairs;

    /// Asks for the part that belongs to column x of a row.
    HWY_INLINE void prefetch(std::size_t x) const {
        hwy::Prefetch(row_pairs[0] + 2 * x);
        hwy::Prefetch(row_pairs[1] + 2 * x);
    }
};

/// Nothing to ask for: the next rows are in the caches.
struct NothingAhead {
    HWY_INLINE void prefetch(std::size_t) const {}
};

/// The parts of an operator for the rows y and y + 1, which share half of what they read.
template <class D, class Operator, class NextRows>
HWY_INLINE void stencil_row_pair(D d, const Operator& apply, const RowNeighbours& rows, std::size_t n,
                                 const NextRows& ahead, const std::array<StencilRow, 2>& out) {
    const std::size_t lanes = hn::Lanes(d);
    const double* const* below = rows.below.data();
    const double* const* middle = rows.here.data();
    const double* const* above = rows.above.data();
    for (std::size_t x = 0; x < n; x += lanes) {
        ahead.prefetch(x);
        const auto pair0 = hn::Add(hn::LoadU(d, below[0] + x), hn::LoadU(d, above[0] + x));
        const auto pair1 = hn::Add(hn::LoadU(d, below[1] + x), hn::LoadU(d, above[1] + x));
        const auto pair2 = hn::Add(hn::LoadU(d, below[2] + x), hn::LoadU(d, above[2] + x));
        const auto pair3 = hn::Add(hn::LoadU(d, below[3] + x), hn::LoadU(d, above[3] + x));
        const auto row0 = hn::LoadU(d, middle[0] + x);
        const auto row1 = hn::LoadU(d, middle[1] + x);
        const auto row2 = hn::LoadU(d, middle[2] + x);
        const auto row3 = hn::LoadU(d, middle[3] + x);
        const auto first = apply(d, row1, hn::Add(pair1, hn::Add(row0, row2)), hn::Add(pair0, pair2));
        hn::StoreU(first.here, d, out[0].here + x);
        hn::StoreU(first.beside, d, out[0].beside + x);
        const auto second = apply(d, row2, hn::Add(pair2, hn::Add(row1, row3)), hn::Add(pair1, pair3));
        hn::StoreU(second.here, d, out[1].here + x);
        hn::StoreU(second.beside, d, out[1].beside + x);
    }
    for (const auto& row : out) {
        row.beside[-1] = row.beside[n - 1];
        row.beside[n] = row.beside[0];
    }
}

template <class D>
HWY_INLINE hn::Vec<D> stencil_value(D d, const StencilRow& row, std::size_t x) {
    return hn::Add(hn::LoadU(d, row.here + x),
                   hn::Add(hn::LoadU(d, row.beside + x - 1), hn::LoadU(d, row.beside + x + 1)));
}

/// residual = right_side − stencil; returns Σ residual².
template <class D>
HWY_INLINE double subtract_row(D d, const StencilRow& stencil, const double* right_side, std::size_t n,
                               double* residual) {
    auto squares = hn::Zero(d);
    for (std::size_t x = 0; x < n; x += hn::Lanes(d)) {
        const auto value = hn::Sub(hn::LoadU(d, right_side + x), stencil_value(d, stencil, x));
        hn::StoreU(value, d, residual + x);
        squares = hn::MulAdd(value, value, squares);
    }
    return hn::GetLane(hn::SumOfLanes(d, squares));
}

enum class Stores { regular, nontemporal };

/// sum = base + stencil
template <Stores stores, class D>
HWY_INLINE void add_row(D d, const StencilRow& stencil, const double* base, std::size_t n, double* sum) {
    for (std::size_t x = 0; x < n; x += hn::Lanes(d)) {
        const auto value = hn::Add(hn::LoadU(d, base + x), stencil_value(d, stencil, x));
        if constexpr (stores == Stores::nontemporal) {
            hn::Stream(value, d, sum + x);
        } else {
            hn::StoreU(value, d, sum + x);
        }
    }
}

/// A source of rows (y, z) with any index: a grid, wrapped, or a window that holds what is asked for.
struct WindowRows {
    const Window* window;
    std::ptrdiff_t first_row;
    std::ptrdiff_t first_plane;

    [[nodiscard]] double* row(std::ptrdiff_t y, std::ptrdiff_t z) const {
        return window->row(static_cast<std::size_t>(z - first_plane), static_cast<std::size_t>(y - first_row));
    }
};

template <class Rows>
HWY_INLINE RowNeighbours neighbours_of(const Rows& rows, std::ptrdiff_t y, std::ptrdiff_t z) {
    RowNeighbours neighbours{};
    for (std::size_t i = 0; i < 4; ++i) {
        const std::ptrdiff_t each = y - 1 + static_cast<std::ptrdiff_t>(i);
        neighbours.below[i] = rows.row(each, z - 1);
        neighbours.here[i] = rows.row(each, z);
        neighbours.above[i] = rows.row(each, z + 1);
    }
    return neighbours;
}

/// Rows [begin, end), an even number, of plane z.
struct PlaneRows {
    std::ptrdiff_t z;
    std::ptrdiff_t begin;
    std::ptrdiff_t end;
};

/// residual = right_side − A u for some rows of a plane; returns Σ residual² of the rows in `counted`.
template <class D, class Rows>
HWY_INLINE double residual_plane(D d, const Rows& u, ConstGrid right_side, const PlaneRows& plane,
                                 const PlaneRows& counted, const WindowRows& residual, const Scratch& scratch) {
    const std::size_t n = right_side.shape.n;
    double sum = 0;
    for (std::ptrdiff_t y = plane.begin; y < plane.end; y += 2) {
        const bool plane_ends = y + 2 == plane.end;
        const std::ptrdiff_t next_y = plane_ends ? plane.begin : y + 2;
        const std::ptrdiff_t next_z = plane_ends ? plane.z + 1 : plane.z;
        const double* next_u = plane_ends ? u.row(next_y - 1, next_z + 1) : u.row(next_y + 1, next_z + 1);
        stencil_row_pair(d, Laplacian{}, neighbours_of(u, y, plane.z), n,
                         Ahead{{next_u, right_side.row(next_y, next_z)}}, scratch.stencils);
        for (std::size_t i = 0; i < 2; ++i) {
            const std::ptrdiff_t each = y + static_cast<std::ptrdiff_t>(i);
            const double squares =
                subtract_row(d, scratch.stencils[i], right_side.row(each, plane.z), n, residual.row(each, plane.z));
            if (each >= counted.begin && each < counted.end) sum += squares;
        }
    }
    return sum;
}

/// new_u = base + S r for some rows of a plane.
template <Stores stores, class D>
HWY_INLINE void smooth_plane(D d, const WindowRows& base, const WindowRows& r, const Smoother& smoother,
                             const PlaneRows& plane, Grid new_u, const Scratch& scratch) {
    const std::size_t n = new_u.shape.n;
    for (std::ptrdiff_t y = plane.begin; y < plane.end; y += 2) {
        stencil_row_pair(d, smoother, neighbours_of(r, y, plane.z), n, NothingAhead{}, scratch.stencils);
        for (std::size_t i = 0; i < 2; ++i) {
            const std::ptrdiff_t each = y + static_cast<std::ptrdiff_t>(i);
            add_row<stores>(d, scratch.stencils[i], base.row(each, plane.z), n, new_u.row(each, plane.z));
        }
    }
}

/// Two vectors of consecutive elements.
template <class V>
struct VectorPair {
    V lower;
    V upper;
};

/// Even and odd elements in turn.
template <class D, class V = hn::Vec<D>>
HWY_INLINE VectorPair<V> interleave(D d, V even, V odd) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (hn::MaxLanes(D()) > 1) {
        const V lower = hn::InterleaveLower(d, even, odd);
        const V upper = hn::InterleaveUpper(d, even, odd);
        // Beyond 16 bytes Highway interleaves in blocks of them.
        if constexpr (hn::MaxLanes(D()) > 2) {
            return {hn::ConcatLowerLower(d, upper, lower), hn::ConcatUpperUpper(d, upper, lower)};
        } else {
            return {lower, upper};
        }
    }
#endif
    static_cast<void>(d);
    return {even, odd};
}

/// Mean over the coarse rows around the fine row (y, z): one, two or four of them.
template <class D>
HWY_INLINE void mean_coarse_row(D d, ConstGrid coarse, std::ptrdiff_t y, std::ptrdiff_t z, double* mean) {
    const std::size_t n = coarse.shape.n;
    // Fine odd 2Y + 1 sits on coarse Y, fine even 2Y between Y − 1 and Y (shifts round down, below zero too).
    const std::ptrdiff_t y_high = y >> 1;
    const std::ptrdiff_t z_high = z >> 1;
    const std::ptrdiff_t y_low = (y - 1) >> 1;
    const std::ptrdiff_t z_low = (z - 1) >> 1;
    const double* a = coarse.row(y_low, z_low);
    const double* b = coarse.row(y_high, z_high);
    if (y_low != y_high && z_low != z_high) {
        const double* e = coarse.row(y_low, z_high);
        const double* f = coarse.row(y_high, z_low);
        for (std::size_t x = 0; x < n; x += hn::Lanes(d)) {
            const auto sum = hn::Add(hn::Add(hn::LoadU(d, a + x), hn::LoadU(d, b + x)),
                                     hn::Add(hn::LoadU(d, e + x), hn::LoadU(d, f + x)));
            hn::StoreU(hn::Mul(hn::Set(d, 0.25), sum), d, mean + x);
        }
    } else {
        for (std::size_t x = 0; x < n; x += hn::Lanes(d))
            hn::StoreU(hn::Mul(hn::Set(d, 0.5), hn::Add(hn::LoadU(d, a + x), hn::LoadU(d, b + x))), d, mean + x);
    }
    mean[-1] = mean[n - 1];
}

/// How far ahead interpolation asks for the old u.
constexpr std::ptrdiff_t rows_ahead = 3;

/// sum = old + Q coarse for some rows of a plane.
template <class D>
HWY_INLINE void interpolate_plane(D d, const SmoothingStep& step, const PlaneRows& plane, const WindowRows& sum,
                                  double* mean) {
    const std::size_t coarse_n = step.coarse_u.shape.n;
    const std::size_t lanes = hn::Lanes(d);
    const auto half = hn::Set(d, 0.5);
    for (std::ptrdiff_t y = plane.begin; y < plane.end; ++y) {
        mean_coarse_row(d, step.coarse_u, y, plane.z, mean);
        const double* old = step.old_u.empty() ? nullptr : step.old_u.row(y, plane.z);
        const double* ahead = nullptr;
        if (old != nullptr)
            ahead = y + rows_ahead < plane.end ? step.old_u.row(y + rows_ahead, plane.z)
                                               : step.old_u.row(plane.begin + y + rows_ahead - plane.end, plane.z + 1);
        double* out = sum.row(y, plane.z);
        for (std::size_t x = 0; x < coarse_n; x += lanes) {
            const auto odd = hn::LoadU(d, mean + x);
            const auto even = hn::Mul(half, hn::Add(hn::LoadU(d, mean + x - 1), odd));
            auto [lower, upper] = interleave(d, even, odd);
            if (old != nullptr) {
                hwy::Prefetch(ahead + 2 * x);
                lower = hn::Add(lower, hn::LoadU(d, old + 2 * x));
                upper = hn::Add(upper, hn::LoadU(d, old + 2 * x + lanes));
            }
            hn::StoreU(lower, d, out + 2 * x);
            hn::StoreU(upper, d, out + 2 * x + lanes);
        }
    }
}

/// One coarse row of P, from the nine fine rows around it: weights ½, 1, ½ in each dimension, and ½ of all.
template <class D, class Rows>
HWY_INLINE void restrict_row(D d, const Rows& fine, std::ptrdiff_t coarse_y, std::ptrdiff_t coarse_z, std::size_t n,
                             double* sums, double* out) {
    const std::size_t lanes = hn::Lanes(d);
    const std::ptrdiff_t y = 2 * coarse_y + 1;
    const std::ptrdiff_t z = 2 * coarse_z + 1;
    const std::array<const double*, 4> edges{fine.row(y - 1, z - 1), fine.row(y + 1, z - 1), fine.row(y - 1, z + 1),
                                             fine.row(y + 1, z + 1)};
    const std::array<const double*, 4> faces{fine.row(y, z - 1), fine.row(y, z + 1), fine.row(y - 1, z),
                                             fine.row(y + 1, z)};
    const double* centre = fine.row(y, z);
    const auto add4 = [&](const std::array<const double*, 4>& rows, std::size_t x) HWY_ATTR {
        return hn::Add(hn::Add(hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[1] + x)),
                       hn::Add(hn::LoadU(d, rows[2] + x), hn::LoadU(d, rows[3] + x)));
    };
    const auto half = hn::Set(d, 0.5);
    for (std::size_t x = 0; x < n; x += lanes) {
        const auto outer = hn::MulAdd(half, add4(edges, x), add4(faces, x));
        hn::StoreU(hn::MulAdd(half, outer, hn::LoadU(d, centre + x)), d, sums + x);
    }
    sums[n] = sums[0];
    sums[n + 1] = sums[1];  // read with the element before it, and not used
    for (std::size_t x = 0; x < n / 2; x += lanes) {
        auto even = hn::Zero(d);
        auto odd = even;
        auto next_even = even;
        auto unused = even;
        hn::LoadInterleaved2(d, sums + 2 * x, even, odd);
        hn::LoadInterleaved2(d, sums + 2 * x + 2, next_even, unused);
        hn::StoreU(hn::Mul(half, hn::MulAdd(half, hn::Add(even, next_even), odd)), d, out + x);
    }
}

/// What all sweeps know of their place.
struct Tile {
    std::ptrdiff_t z_begin;
    std::ptrdiff_t z_end;
    std::ptrdiff_t y_begin;
    std::ptrdiff_t y_end;
};

template <class Body>
HWY_INLINE void for_each_tile(const Block& block, std::size_t n, std::span<double> memory, const Body& body) {
    const std::size_t rows = tile_rows(n, block.y_end - block.y_begin);
    const Scratch scratch(memory.data(), n, rows);
    for (std::size_t y = block.y_begin; y < block.y_end; y += rows) {
        const std::size_t end = std::min(y + rows, block.y_end);
        body(Tile{static_cast<std::ptrdiff_t>(block.z_begin), static_cast<std::ptrdiff_t>(block.z_end),
                  static_cast<std::ptrdiff_t>(y), static_cast<std::ptrdiff_t>(end)},
             scratch);
    }
}

template <class D>
HWY_INLINE double residual_restrict_tile(D d, ConstGrid u, ConstGrid v, Grid coarse, const Tile& tile,
                                         const Scratch& scratch) {
    const std::size_t n = u.shape.n;
    // A coarse point also needs the plane and the row after those of the tile.
    const std::ptrdiff_t beyond = coarse.empty() ? 0 : 1;
    const WindowRows r{&scratch.first, tile.y_begin, tile.z_begin};
    double sum = 0;
    for (std::ptrdiff_t z = tile.z_begin; z < tile.z_end + beyond; ++z) {
        const PlaneRows rows{z, tile.y_begin, tile.y_end + 2 * beyond};
        const PlaneRows counted{z, tile.y_begin, z < tile.z_end ? tile.y_end : tile.y_begin};
        sum += residual_plane(d, u, v, rows, counted, r, scratch);
        const bool plane_ends_coarse = !coarse.empty() && z > tile.z_begin && (z - tile.z_begin) % 2 == 0;
        if (!plane_ends_coarse) continue;
        const std::ptrdiff_t coarse_z = z / 2 - 1;
        for (std::ptrdiff_t y = tile.y_begin / 2; y < tile.y_end / 2; ++y)
            restrict_row(d, r, y, coarse_z, n, scratch.row, coarse.row(y, coarse_z));
    }
    return sum;
}

template <Stores stores, class D>
HWY_INLINE void interpolate_smooth_tile(D d, const SmoothingStep& step, const Tile& tile, const Scratch& scratch) {
    const WindowRows w{&scratch.first, tile.y_begin - 2, tile.z_begin - 2};
    const WindowRows r{&scratch.second, tile.y_begin - 1, tile.z_begin - 1};
    const Smoother smoother{step.smoother};
    for (std::ptrdiff_t z = tile.z_begin - 2; z < tile.z_end + 2; ++z) {
        interpolate_plane(d, step, {z, tile.y_begin - 2, tile.y_end + 2}, w, scratch.row);
        const PlaneRows none{z - 1, 0, 0};
        if (z >= tile.z_begin)
            residual_plane(d, w, step.right_side, {z - 1, tile.y_begin - 1, tile.y_end + 1}, none, r, scratch);
        if (z >= tile.z_begin + 2)
            smooth_plane<stores>(d, w, r, smoother, {z - 2, tile.y_begin, tile.y_end}, step.new_u, scratch);
    }
    // Nontemporal stores are weakly ordered: the other threads must see them after the barrier.
    if constexpr (stores == Stores::nontemporal) hwy::FlushStream();
}

double residual_restrict(ConstGrid u, ConstGrid v, Grid coarse, const Block& block, std::span<double> memory) {
    double sum = 0;
    for_each_tile(block, u.shape.n, memory, [&](const Tile& tile, const Scratch& scratch) HWY_ATTR {
        sum += u.shape.n >= least_vector_n ? residual_restrict_tile(Vector(), u, v, coarse, tile, scratch)
                                           : residual_restrict_tile(Point(), u, v, coarse, tile, scratch);
    });
    return sum;
}

void restrict_grid(ConstGrid fine, Grid coarse, const Block& block, std::span<double> memory) {
    const std::size_t n = fine.shape.n;
    double* sums = Scratch(memory.data(), n, tile_rows(n, block.y_end - block.y_begin)).row;
    for (std::size_t z = block.z_begin / 2; z < block.z_end / 2; ++z) {
        for (std::size_t y = block.y_begin / 2; y < block.y_end / 2; ++y) {
            const auto coarse_y = static_cast<std::ptrdiff_t>(y);
            const auto coarse_z = static_cast<std::ptrdiff_t>(z);
            double* out = coarse.row(coarse_y, coarse_z);
            if (n >= least_vector_n) {
                restrict_row(Vector(), fine, coarse_y, coarse_z, n, sums, out);
            } else {
                restrict_row(Point(), fine, coarse_y, coarse_z, n, sums, out);
            }
        }
    }
}

void interpolate_smooth(const SmoothingStep& step, const Block& block, std::span<double> memory) {
    const std::size_t n = step.new_u.shape.n;
    // What coarser levels store is read again at once.
    const bool nontemporal = !step.old_u.empty() && n >= least_nontemporal_n;
    for_each_tile(block, n, memory, [&](const Tile& tile, const Scratch& scratch) HWY_ATTR {
        if (nontemporal) {
            interpolate_smooth_tile<Stores::nontemporal>(Vector(), step, tile, scratch);
        } else if (n >= least_vector_n) {
            interpolate_smooth_tile<Stores::regular>(Vector(), step, tile, scratch);
        } else {
            interpolate_smooth_tile<Stores::regular>(Point(), step, tile, scratch);
        }
    });
}

void smooth_from_zero(ConstGrid r, Grid u, const Weights& weights, std::span<double> memory) {
    const Point d;
    const std::size_t n = r.shape.n;
    const Scratch scratch(memory.data(), n, tile_rows(n, n));
    const auto size = static_cast<std::ptrdiff_t>(n);
    for (std::ptrdiff_t z = 0; z < size; ++z) {
        for (std::ptrdiff_t y = 0; y < size; y += 2) {
            stencil_row_pair(d, Smoother{weights}, neighbours_of(r, y, z), n, NothingAhead{}, scratch.stencils);
            for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t x = 0; x < n; ++x)
                    hn::StoreU(stencil_value(d, scratch.stencils[i], x), d,
                               u.row(y + static_cast<std::ptrdiff_t>(i), z) + x);
        }
    }
}

std::int64_t target() {
    return HWY_TARGET;
}

}  // namespace pinwise::npb::mg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace pinwise::npb::mg {

HWY_EXPORT(residual_restrict);
HWY_EXPORT(restrict_grid);
HWY_EXPORT(interpolate_smooth);
HWY_EXPORT(smooth_from_zero);
HWY_EXPORT(target);

std::size_t scratch_elements(std::size_t n, std::size_t rows) {
    return Scratch::elements(n, tile_rows(n, rows));
}

double residual_restrict(ConstGrid u, ConstGrid v, Grid coarse, const Block& block, std::span<double> scratch) {
    return HWY_DYNAMIC_DISPATCH(residual_restrict)(u, v, coarse, block, scratch);
}

void restrict_grid(ConstGrid fine, Grid coarse, const Block& block, std::span<double> scratch) {
    HWY_DYNAMIC_DISPATCH(restrict_grid)(fine, coarse, block, scratch);
}

void interpolate_smooth(const SmoothingStep& step, const Block& block, std::span<double> scratch) {
    HWY_DYNAMIC_DISPATCH(interpolate_smooth)(step, block, scratch);
}

void smooth_from_zero(ConstGrid r, Grid u, const Weights& smoother, std::span<double> scratch) {
    HWY_DYNAMIC_DISPATCH(smooth_from_zero)(r, u, smoother, scratch);
}

std::string vector_target() {
    return hwy::TargetName(HWY_DYNAMIC_DISPATCH(target)());
}

}  // namespace pinwise::npb::mg

#endif
