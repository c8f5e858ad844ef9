#include "workloads/npb/ft/fft.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

// Vectors of scalable targets cannot be held in aggregates; NEON serves those CPUs.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/npb/ft/fft.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::ft::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A group's real parts at most: half a cache line.
using Vector = hn::CappedTag<double, group_points>;
using V = hn::Vec<Vector>;

struct Complex {
    V re;
    V im;
};

HWY_INLINE Complex operator+(const Complex& a, const Complex& b) {
    return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}

HWY_INLINE Complex operator-(const Complex& a, const Complex& b) {
    return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}

/// a − i·b and a + i·b
HWY_INLINE Complex minus_i(const Complex& a, const Complex& b) {
    return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}

HWY_INLINE Complex plus_i(const Complex& a, const Complex& b) {
    return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}

/// a·w
HWY_INLINE Complex times(const Complex& a, V w_re, V w_im) {
    return {hn::NegMulAdd(a.im, w_im, hn::Mul(a.re, w_re)), hn::MulAdd(a.im, w_re, hn::Mul(a.re, w_im))};
}

/// Discrete transform of four values, in place, in natural order.
HWY_INLINE void butterfly(std::array<Complex, 4>& a) {
    const Complex even_sum = a[0] + a[2];
    const Complex even_difference = a[0] - a[2];
    const Complex odd_sum = a[1] + a[3];
    const Complex odd_difference = a[1] - a[3];
    a[0] = even_sum + odd_sum;
    a[1] = minus_i(even_difference, odd_difference);
    a[2] = even_sum - odd_sum;
    a[3] = plus_i(even_difference, odd_difference);
}

/// Of eight: two of four, of which the odd one is turned by the eighth roots of unity.
HWY_INLINE void butterfly(std::array<Complex, 8>& a) {
    std::array<Complex, 4> even{a[0], a[2], a[4], a[6]};
    std::array<Complex, 4> odd{a[1], a[3], a[5], a[7]};
    butterfly(even);
    butterfly(odd);
    a[0] = even[0] + odd[0];
    a[4] = even[0] - odd[0];
    a[2] = minus_i(even[2], odd[2]);
    a[6] = plus_i(even[2], odd[2]);
    // odd[1]·(1 − i)/√2 and odd[3]·(−1 − i)/√2
    const V root = hn::Set(Vector(), 0.70710678118654752440);
    const V sum1 = hn::Add(odd[1].re, odd[1].im);
    const V difference1 = hn::Sub(odd[1].im, odd[1].re);
    a[1] = {hn::MulAdd(root, sum1, even[1].re), hn::MulAdd(root, difference1, even[1].im)};
    a[5] = {hn::NegMulAdd(root, sum1, even[1].re), hn::NegMulAdd(root, difference1, even[1].im)};
    const V difference3 = hn::Sub(odd[3].im, odd[3].re);
    const V sum3 = hn::Add(odd[3].re, odd[3].im);
    a[3] = {hn::MulAdd(root, difference3, even[3].re), hn::NegMulAdd(root, sum3, even[3].im)};
    a[7] = {hn::NegMulAdd(root, difference3, even[3].re), hn::MulAdd(root, sum3, even[3].im)};
}

// Sources give, and targets take, `lane`s of group g of the i-th point of all lines that are transformed together.

/// Points in groups, `stride` doubles apart.
struct PointSource {
    const double* data;
    std::size_t stride;

    HWY_INLINE Complex load(std::size_t i, std::size_t group, std::size_t lane) const {
        const double* from = data + i * stride + group * group_doubles + lane;
        return {hn::LoadU(Vector(), from), hn::LoadU(Vector(), from + group_points)};
    }
};

/// The spectrum of a bundle with real and imaginary parts exchanged, decayed. Asks for the next bundle ahead, which
/// follows in memory (beyond the last one that is harmless).
struct DecayedSource {
    const double* data;
    std::size_t bundle_stride;
    const double* across;
    const double* along;

    HWY_INLINE Complex load(std::size_t i, std::size_t group, std::size_t lane) const {
        const Vector d;
        const double* from = data + i * bundle_doubles + group * group_doubles + lane;
        hwy::Prefetch(from + bundle_stride);
        const V factor = hn::Mul(hn::Set(d, along[i]), hn::LoadU(d, across + group * group_points + lane));
        return {hn::Mul(factor, hn::LoadU(d, from + group_points)), hn::Mul(factor, hn::LoadU(d, from))};
    }
};

enum class Stores { regular, nontemporal };

template <Stores stores>
struct PointTarget {
    double* data;
    std::size_t stride;

    HWY_INLINE void store(const Complex& value, std::size_t i, std::size_t group, std::size_t lane) const {
        double* to = data + i * stride + group * group_doubles + lane;
        if constexpr (stores == Stores::nontemporal) {
            hn::Stream(value.re, Vector(), to);
            hn::Stream(value.im, Vector(), to + group_points);
        } else {
            hn::StoreU(value.re, Vector(), to);
            hn::StoreU(value.im, Vector(), to + group_points);
        }
    }
};

/// A row's two groups of each point, taken apart: all of group 0, then all of group 1, real parts before imaginary.
struct TableTarget {
    double* data;
    std::size_t points;  ///< n / 8

    [[nodiscard]] HWY_INLINE double* re(std::size_t group) const { return data + group * group_points * points; }
    [[nodiscard]] HWY_INLINE double* im(std::size_t group) const { return re(group + 2); }

    HWY_INLINE void store(const Complex& value, std::size_t i, std::size_t group, std::size_t lane) const {
        hn::StoreU(value.re, Vector(), re(group) + i * group_points + lane);
        hn::StoreU(value.im, Vector(), im(group) + i * group_points + lane);
    }
};

/// One stage of the given radix for all groups of the lines.
template <std::size_t radix, std::size_t groups, class Source, class Target>
HWY_INLINE void run_stage_of(const FftStage& stage, const Source& source, const Target& target) {
    const Vector d;
    const double* twiddles = stage.twiddles.data();
    for (std::size_t p = 0; p < stage.m; ++p) {
        for (std::size_t q = 0; q < stage.s; ++q) {
            for (std::size_t group = 0; group < groups; ++group) {
                for (std::size_t lane = 0; lane < group_points; lane += hn::Lanes(d)) {
                    std::array<Complex, radix> a{};
                    for (std::size_t j = 0; j < radix; ++j)
                        a[j] = source.load(q + stage.s * (p + stage.m * j), group, lane);
                    butterfly(a);
                    const std::size_t to = q + stage.s * radix * p;
                    target.store(a[0], to, group, lane);
                    for (std::size_t k = 1; k < radix; ++k) {
                        const Complex result = stage.m == 1 ? a[k]
                                                            : times(a[k], hn::Set(d, twiddles[2 * k - 2]),
                                                                    hn::Set(d, twiddles[2 * k - 1]));
                        target.store(result, to + stage.s * k, group, lane);
                    }
                }
            }
        }
        if (stage.m != 1) twiddles += 2 * (radix - 1);
    }
}

template <std::size_t groups, class Source, class Target>
HWY_INLINE void run_stage(const FftStage& stage, const Source& source, const Target& target) {
    if (stage.radix == 8) {
        run_stage_of<8, groups>(stage, source, target);
    } else {
        run_stage_of<4, groups>(stage, source, target);
    }
}

/// All stages, from source by way of two buffers of groups·n groups to target, which may be the source's memory.
template <std::size_t groups, class Source, class Target>
HWY_INLINE void run_stages(const FftPlan& plan, const Source& source, const Target& target, double* buffers) {
    constexpr std::size_t stride = groups * group_doubles;
    const std::size_t stages = plan.stages.size();
    if (stages == 1) {
        run_stage<groups>(plan.stages[0], source, target);
        return;
    }
    double* from = buffers;
    double* to = buffers + plan.n * stride;
    run_stage<groups>(plan.stages[0], source, PointTarget<Stores::regular>{from, stride});
    for (std::size_t i = 1; i + 1 < stages; ++i) {
        run_stage<groups>(plan.stages[i], PointSource{from, stride}, PointTarget<Stores::regular>{to, stride});
        std::swap(from, to);
    }
    run_stage<groups>(plan.stages[stages - 1], PointSource{from, stride}, target);
}

constexpr std::size_t row_groups = 2;
constexpr std::size_t bundle_groups = bundle_points / group_points;

/// The transform along b, from the tables to the row: output a' + m·b' for all a' of m. The next row is read in eight
/// places at once, more than the hardware prefetches well; it is asked for a few lines at a time.
HWY_INLINE void transform_across(const RowFftPlan& plan, const TableTarget& tables, double* row,
                                 const double* next_row) {
    const Vector d;
    const std::size_t m = tables.points;
    for (std::size_t a = 0; a < m; a += hn::Lanes(d)) {
        for (std::size_t line = 0; line < 2 * hn::Lanes(d); ++line)
            hwy::Prefetch(next_row + (2 * a + line) * group_doubles);
        std::array<Complex, 8> values{};
        for (std::size_t g = 0; g < row_groups; ++g) {
            Complex* four = values.data() + g * group_points;
            hn::LoadInterleaved4(d, tables.re(g) + a * group_points, four[0].re, four[1].re, four[2].re, four[3].re);
            hn::LoadInterleaved4(d, tables.im(g) + a * group_points, four[0].im, four[1].im, four[2].im, four[3].im);
        }
        for (std::size_t b = 1; b < 8; ++b) {
            const double* twiddles = plan.twiddles.data() + (b - 1) * 2 * m + a;
            values[b] = times(values[b], hn::LoadU(d, twiddles), hn::LoadU(d, twiddles + m));
        }
        butterfly(values);
        for (std::size_t b = 0; b < 8; ++b) {
            double* to = row + (a + m * b) / group_points * group_doubles + a % group_points;
            hn::StoreU(values[b].re, d, to);
            hn::StoreU(values[b].im, d, to + group_points);
        }
    }
}

void transform_row(const RowFftPlan& plan, double* row, const double* next_row, double* scratch) {
    const TableTarget tables{scratch, plan.outer.n};
    run_stages<row_groups>(plan.outer, PointSource{row, row_groups * group_doubles}, tables, scratch + 2 * plan.n);
    transform_across(plan, tables, row, next_row);
}

void transform_bundle(const FftPlan& plan, double* first, std::size_t stride, double* scratch) {
    run_stages<bundle_groups>(plan, PointSource{first, stride}, PointTarget<Stores::regular>{first, stride}, scratch);
}

void gather_transform_bundle(const FftPlan& plan, const double* first, std::size_t stride, double* bundle,
                             double* scratch) {
    run_stages<bundle_groups>(plan, PointSource{first, stride},
                              PointTarget<Stores::nontemporal>{bundle, bundle_doubles}, scratch);
    hwy::FlushStream();
}

void decay_transform_bundle(const FftPlan& plan, const double* bundle, const Decay& decay, double* first,
                            std::size_t stride, double* scratch) {
    run_stages<bundle_groups>(plan,
                              DecayedSource{bundle, plan.n * bundle_doubles, decay.across.data(), decay.along.data()},
                              PointTarget<Stores::nontemporal>{first, stride}, scratch);
    hwy::FlushStream();
}

std::int64_t target() {
    return HWY_TARGET;
}

}  // namespace pinwise::npb::ft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace pinwise::npb::ft {

HWY_EXPORT(transform_row);
HWY_EXPORT(transform_bundle);
HWY_EXPORT(gather_transform_bundle);
HWY_EXPORT(decay_transform_bundle);
HWY_EXPORT(target);

std::size_t scratch_elements(const Extent& extent) {
    const std::size_t for_rows = 6 * extent.nx;  // a row, and twice as much to transform it in
    const std::size_t for_bundles = 2 * bundle_doubles * std::max(extent.ny, extent.nz);
    return std::max(for_rows, for_bundles);
}

void transform_row(const RowFftPlan& plan, double* row, const double* next_row, std::span<double> scratch) {
    HWY_DYNAMIC_DISPATCH(transform_row)(plan, row, next_row, scratch.data());
}

void transform_bundle(const FftPlan& plan, double* first, std::size_t stride, std::span<double> scratch) {
    HWY_DYNAMIC_DISPATCH(transform_bundle)(plan, first, stride, scratch.data());
}

void gather_transform_bundle(const FftPlan& plan, const double* first, std::size_t stride, double* bundle,
                             std::span<double> scratch) {
    HWY_DYNAMIC_DISPATCH(gather_transform_bundle)(plan, first, stride, bundle, scratch.data());
}

void decay_transform_bundle(const FftPlan& plan, const double* bundle, const Decay& decay, double* first,
                            std::size_t stride, std::span<double> scratch) {
    HWY_DYNAMIC_DISPATCH(decay_transform_bundle)(plan, bundle, decay, first, stride, scratch.data());
}

std::string vector_target() {
    return hwy::TargetName(HWY_DYNAMIC_DISPATCH(target)());
}

}  // namespace pinwise::npb::ft

#endif
