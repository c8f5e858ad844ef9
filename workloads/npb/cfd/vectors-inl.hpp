// What the vector code of BT, SP and LU shares, once for each instruction set (see Highway's foreach_target.h).

#if defined(PINWISE_NPB_CFD_VECTORS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef PINWISE_NPB_CFD_VECTORS_INL_HPP
#undef PINWISE_NPB_CFD_VECTORS_INL_HPP
#else
#define PINWISE_NPB_CFD_VECTORS_INL_HPP
#endif

#include <cstddef>

#include <hwy/highway.h>

#include "workloads/npb/cfd/grid.hpp"

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::cfd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A lane is a point or a line of points; at most a cache line of them.
using Lanes = hn::CappedTag<double, line_doubles>;
using Vector = hn::Vec<Lanes>;
using Mask = hn::Mask<Lanes>;
constexpr std::size_t lanes = hn::MaxLanes(Lanes());
static_assert(line_doubles % lanes == 0);

/// Five numbers for each lane.
struct Five {
    Vector c[components];
};

HWY_INLINE Vector set(double value) {
    return hn::Set(Lanes(), value);
}

HWY_INLINE Vector load(const double* from) {
    return hn::Load(Lanes(), from);
}

HWY_INLINE Vector load_unaligned(const double* from) {
    return hn::LoadU(Lanes(), from);
}

HWY_INLINE void store(Vector value, double* to) {
    hn::Store(value, Lanes(), to);
}

/// a·b + c
HWY_INLINE Vector mul_add(Vector a, Vector b, Vector c) {
    return hn::MulAdd(a, b, c);
}

/// c − a·b
HWY_INLINE Vector sub_product(Vector c, Vector a, Vector b) {
    return hn::NegMulAdd(a, b, c);
}

HWY_INLINE Five load_five(const double* from, std::size_t stride) {
    Five five;
    for (std::size_t m = 0; m < components; ++m)
        five.c[m] = load(from + m * stride);
    return five;
}

HWY_INLINE void store_five(const Five& five, double* to, std::size_t stride) {
    for (std::size_t m = 0; m < components; ++m)
        store(five.c[m], to + m * stride);
}

#if HWY_TARGET == HWY_SCALAR

/// A single lane is its own transpose.
HWY_INLINE void transpose(Vector (&/*rows*/)[lanes]) {}

#else

/// One step of a transposition: exchanges rows and lanes whose numbers differ in the bit `distance`.
template <std::size_t distance>
HWY_INLINE void exchange(Vector (&rows)[lanes]) {
    const Lanes d;
    if constexpr (distance < lanes) {
        for (std::size_t r = 0; r < lanes; ++r) {
            if ((r & distance) != 0) continue;
            const Vector a = rows[r];
            const Vector b = rows[r + distance];
            if constexpr (distance == 1) {
                rows[r] = hn::InterleaveLower(d, a, b);
                rows[r + distance] = hn::InterleaveUpper(d, a, b);
            } else if constexpr (distance * 2 == lanes) {
                rows[r] = hn::ConcatLowerLower(d, b, a);
                rows[r + distance] = hn::ConcatUpperUpper(d, b, a);
            } else {
                static_assert(distance == 2, "blocks of two lanes");
                rows[r] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
                rows[r + distance] = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
            }
        }
    }
}

/// Lane c of row r becomes lane r of row c.
HWY_INLINE void transpose(Vector (&rows)[lanes]) {
    exchange<1>(rows);
    exchange<2>(rows);
    exchange<4>(rows);
}

#endif

}  // namespace pinwise::npb::cfd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
