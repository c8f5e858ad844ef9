// Products of small matrices with all lines of an element, for a vector of elements. Included once for every target.

#if defined(PINWISE_NPB_UA_TENSOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PINWISE_NPB_UA_TENSOR_INL
#undef PINWISE_NPB_UA_TENSOR_INL
#else
#define PINWISE_NPB_UA_TENSOR_INL
#endif

#include <hwy/highway.h>

#include "workloads/npb/ua/element_layout.hpp"

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::ua::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, lanes>;
using V = hn::Vec<D>;

template <const Matrix5& matrix, std::size_t row, std::size_t column>
HWY_INLINE V add_product(V sum, V value) {
    if constexpr (matrix[row][column] == 0) return sum;
    return hn::MulAdd(hn::Set(D(), matrix[row][column]), value, sum);
}

/// One row of the matrix times the values of a line. No matrix here has a 0 in its first column.
template <const Matrix5& matrix, std::size_t row>
HWY_INLINE V row_product(V v0, V v1, V v2, V v3, V v4) {
    V sum = hn::Mul(hn::Set(D(), matrix[row][0]), v0);
    sum = add_product<matrix, row, 1>(sum, v1);
    sum = add_product<matrix, row, 2>(sum, v2);
    sum = add_product<matrix, row, 3>(sum, v3);
    return add_product<matrix, row, 4>(sum, v4);
}

/// Multiplies the line of `stride` nodes that begins at `from` and passes each row's result to `use`(row, result).
template <const Matrix5& matrix, std::size_t stride, class Use>
HWY_INLINE void multiply_line(const double* from, const Use& use) {
    const D d;
    constexpr std::size_t step = stride * lanes;
    const V v0 = hn::Load(d, from);
    const V v1 = hn::Load(d, from + step);
    const V v2 = hn::Load(d, from + 2 * step);
    const V v3 = hn::Load(d, from + 3 * step);
    const V v4 = hn::Load(d, from + 4 * step);
    use(0, row_product<matrix, 0>(v0, v1, v2, v3, v4));
    use(1, row_product<matrix, 1>(v0, v1, v2, v3, v4));
    use(2, row_product<matrix, 2>(v0, v1, v2, v3, v4));
    use(3, row_product<matrix, 3>(v0, v1, v2, v3, v4));
    use(4, row_product<matrix, 4>(v0, v1, v2, v3, v4));
}

/// Applies the matrix along x, along y and along z to the field at `from` and passes the sum of the three at every node
/// to `use`(node, sum). Node n of the field is at from + n·lanes; `work` is as large, and free for a node when `use`
/// gets it.
template <const Matrix5& matrix, class Use>
HWY_INLINE void sum_directions(const double* from, double* work, const Use& use) {
    const D d;
    for (std::size_t line = 0; line < 25; ++line) {
        const std::size_t start = line * 5 * lanes;
        multiply_line<matrix, 1>(
            from + start, [&](std::size_t row, V value) HWY_ATTR { hn::Store(value, d, work + start + row * lanes); });
    }
    for (std::size_t line = 0; line < 25; ++line) {
        const std::size_t start = (line % 5 + line / 5 * 25) * lanes;
        multiply_line<matrix, 5>(from + start, [&](std::size_t row, V value) HWY_ATTR {
            double* at = work + start + row * 5 * lanes;
            hn::Store(hn::Add(value, hn::Load(d, at)), d, at);
        });
    }
    for (std::size_t line = 0; line < 25; ++line)
        multiply_line<matrix, 25>(from + line * lanes, [&](std::size_t row, V value) HWY_ATTR {
            const std::size_t node = line + row * 25;
            use(node, hn::Add(value, hn::Load(d, work + node * lanes)));
        });
}

}  // namespace pinwise::npb::ua::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
