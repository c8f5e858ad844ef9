#include "workloads/npb/cg/row_products.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/npb/cg/row_products.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::cg::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// docs/workloads/npb.md has what other shapes than these gave. Gathers of four were as fast as those of eight.
using D = hn::CappedTag<double, 4>;
using V = hn::Vec<D>;

// Values and columns are read once a product, from far away: asked for this many elements ahead, over the ends of rows.
// Addresses beyond the end of all are harmless: a prefetch never faults.
constexpr std::size_t prefetch_elements = 128;

HWY_INLINE V gather(const double* x, const std::uint32_t* columns) {
    const D d;
    const hn::RebindToSigned<D> indices;
    const hn::Rebind<std::uint32_t, D> narrow;
    const hn::RebindToUnsigned<D> wide;
    return hn::GatherIndex(d, x, hn::BitCast(indices, hn::PromoteTo(wide, hn::LoadU(narrow, columns))));
}

/// Two sums side by side: one chain of additions would wait for itself.
HWY_INLINE double row_product(const double* values, const std::uint32_t* columns, std::size_t count, const double* x) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    V even = hn::Zero(d);
    V odd = hn::Zero(d);
    std::size_t i = 0;
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
        hwy::Prefetch(values + i + prefetch_elements);
        hwy::Prefetch(columns + i + prefetch_elements);
        even = hn::MulAdd(hn::LoadU(d, values + i), gather(x, columns + i), even);
        odd = hn::MulAdd(hn::LoadU(d, values + i + lanes), gather(x, columns + i + lanes), odd);
    }
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
    for (; i < count; ++i)
        sum += values[i] * x[columns[i]];
    return sum;
}

void multiply_rows(const double* values, const std::uint32_t* columns, const std::size_t* row_ends, std::size_t begin,
                   std::size_t rows, const double* x, double* result) {
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t end = row_ends[row];
        result[row] = row_product(values + begin, columns + begin, end - begin, x);
        begin = end;
    }
}

}  // namespace pinwise::npb::cg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace pinwise::npb::cg {

HWY_EXPORT(multiply_rows);

void multiply_rows(const double* values, const std::uint32_t* columns, const std::size_t* row_ends, std::size_t begin,
                   std::size_t rows, const double* x, double* result) {
    HWY_DYNAMIC_DISPATCH(multiply_rows)(values, columns, row_ends, begin, rows, x, result);
}

}  // namespace pinwise::npb::cg

#endif
