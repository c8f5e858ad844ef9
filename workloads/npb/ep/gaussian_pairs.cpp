#include "workloads/npb/ep/gaussian_pairs.hpp"

#include <numeric>

#include "workloads/npb/common/random.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/npb/ep/gaussian_pairs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pinwise::npb::ep::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using DU = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;
using VU = hn::Vec<DU>;

// States are kept 18 bits up, so that 64-bit wrap-around is the modulus 2^46 and the top 52 bits are a mantissa.
constexpr int state_shift = 64 - 46;

// A lane's histogram is one 64-bit word of fields of 6 bits, one an annulus: emptied before a field can overflow.
constexpr int field_bits = 6;
constexpr std::uint64_t field_mask = (1U << field_bits) - 1;
constexpr std::size_t vectors_between_flushes = 32;

/// Two streams of states in every lane: those of a pair's first and of its second number.
struct PairStates {
    VU first;
    VU second;
    VU step;  ///< multiplier that takes every lane to its next pair

    HWY_INLINE void advance() {
        first = hn::Mul(first, step);
        second = hn::Mul(second, step);
    }
};

/// Lane j begins with pair j of the batch.
HWY_INLINE PairStates batch_states(std::uint64_t batch) {
    const DU du;
    const std::size_t lanes = hn::Lanes(du);
    HWY_ALIGN std::array<std::uint64_t, hn::MaxLanes(DU())> first{};
    HWY_ALIGN std::array<std::uint64_t, hn::MaxLanes(DU())> second{};
    std::uint64_t state = lcg_product(seed, lcg_power(2 * batch_pairs * batch));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        first[lane] = (state = lcg_product(state, lcg_multiplier)) << state_shift;
        second[lane] = (state = lcg_product(state, lcg_multiplier)) << state_shift;
    }
    return {hn::Load(du, first.data()), hn::Load(du, second.data()), hn::Set(du, lcg_power(2 * lanes))};
}

/// 2r − 1, exactly: the state as the mantissa of a number in [2, 4), less 3.
HWY_INLINE V symmetric_uniform(VU state) {
    const D d;
    const DU du;
    const VU mantissa = hn::Or(hn::ShiftRight<12>(state), hn::Set(du, 0x4000'0000'0000'0000));
    return hn::Sub(hn::BitCast(d, mantissa), hn::Set(d, 3.0));
}

/// −2·ln(t)/t for t in (0, 2). With t = 2^k·m, √½ ≤ m < √2, and s = (m − 1)/(m + 1): ln m = 2·artanh(s), an odd series
/// in s whose tail is a minimax polynomial (error 5e−18). One division serves both s and 1/t.
HWY_INLINE V log_ratio(V t) {
    const D d;
    const DU du;
    const VU sqrt_half = hn::Set(du, 0x3fe6'a09e'667f'3bcd);
    const VU shifted = hn::Add(hn::BitCast(du, t), hn::Sub(hn::Set(du, 0x3ff0'0000'0000'0000), sqrt_half));
    const VU magic_exponent = hn::Or(hn::ShiftRight<52>(shifted), hn::Set(du, 0x4330'0000'0000'0000));
    const V k = hn::Sub(hn::BitCast(d, magic_exponent), hn::Set(d, 0x1p52 + 1023));
    const V m = hn::BitCast(d, hn::Add(hn::And(shifted, hn::Set(du, 0x000f'ffff'ffff'ffff)), sqrt_half));

    const V one = hn::Set(d, 1.0);
    const V m_plus_1 = hn::Add(m, one);
    const V both = hn::Div(one, hn::Mul(t, m_plus_1));
    const V inverse_t = hn::Mul(both, m_plus_1);
    const V s = hn::Mul(hn::Mul(hn::Sub(m, one), t), both);
    const V z = hn::Mul(s, s);
    const V z2 = hn::Mul(z, z);
    // All coefficients times −2.
    const V c01 = hn::MulAdd(z, hn::Set(d, -0x1.99999999952e2p-1), hn::Set(d, -0x1.5555555555558p+0));
    const V c23 = hn::MulAdd(z, hn::Set(d, -0x1.c71c62e57c0cfp-2), hn::Set(d, -0x1.2492492df14bfp-1));
    const V c45 = hn::MulAdd(z, hn::Set(d, -0x1.39fe603f8739ep-2), hn::Set(d, -0x1.7462b4ac51915p-2));
    const V c456 = hn::MulAdd(z2, hn::Set(d, -0x1.2b584c80de001p-2), c45);
    const V tail = hn::MulAdd(z2, hn::MulAdd(z2, c456, c23), c01);
    const V log_m = hn::Mul(s, hn::MulAdd(z, tail, hn::Set(d, -4.0)));
    const V log_t = hn::MulAdd(k, hn::Set(d, -2 * 0.693147180559945309417232121458), log_m);
    return hn::Mul(log_t, inverse_t);
}

/// What a batch has seen so far, lane by lane.
struct LaneTally {
    V sum_x;
    V sum_y;
    V sum_abs_x;
    V sum_abs_y;
    VU histogram;

    HWY_INLINE void add_pairs(VU first, VU second) {
        const D d;
        const DU du;
        const V u = symmetric_uniform(first);
        const V w = symmetric_uniform(second);
        const V t = hn::MulAdd(u, u, hn::Mul(w, w));
        const auto accepted = hn::Le(t, hn::Set(d, 1.0));
        const V factor = hn::IfThenElseZero(accepted, hn::Sqrt(log_ratio(t)));
        const V x = hn::Mul(u, factor);
        const V y = hn::Mul(w, factor);
        const V abs_x = hn::Abs(x);
        const V abs_y = hn::Abs(y);
        sum_x = hn::Add(sum_x, x);
        sum_y = hn::Add(sum_y, y);
        sum_abs_x = hn::Add(sum_abs_x, abs_x);
        sum_abs_y = hn::Add(sum_abs_y, abs_y);
        // The annulus as an integer in the low bits of 2^52 + 6·l. No deviate of this generator reaches 10.
        const V annulus = hn::Min(hn::Floor(hn::Max(abs_x, abs_y)), hn::Set(d, annuli - 1.0));
        const V magic = hn::MulAdd(annulus, hn::Set(d, field_bits), hn::Set(d, 0x1p52));
        const VU field = hn::And(hn::BitCast(du, magic), hn::Set(du, 63));
        const VU one = hn::BitCast(du, hn::IfThenElseZero(accepted, hn::BitCast(d, hn::Set(du, 1))));
        histogram = hn::Add(histogram, hn::Shl(one, field));
    }
};

HWY_INLINE LaneTally empty_tally() {
    const V zero = hn::Zero(D());
    return {zero, zero, zero, zero, hn::Zero(DU())};
}

PairTally tally_batch(std::uint64_t batch) {
    const D d;
    const DU du;
    const std::size_t lanes = hn::Lanes(d);
    PairStates states = batch_states(batch);
    LaneTally tally = empty_tally();
    PairTally result;
    HWY_ALIGN std::array<std::uint64_t, hn::MaxLanes(DU())> histogram{};
    for (std::size_t block = 0; block < batch_pairs / (lanes * vectors_between_flushes); ++block) {
        for (std::size_t i = 0; i < vectors_between_flushes; ++i) {
            tally.add_pairs(states.first, states.second);
            states.advance();
        }
        hn::Store(tally.histogram, du, histogram.data());
        tally.histogram = hn::Zero(du);
        for (std::size_t lane = 0; lane < lanes; ++lane)
            for (std::size_t annulus = 0; annulus < annuli; ++annulus)
                result.counts[annulus] += (histogram[lane] >> (annulus * field_bits)) & field_mask;
    }
    result.sum_x = hn::GetLane(hn::SumOfLanes(d, tally.sum_x));
    result.sum_y = hn::GetLane(hn::SumOfLanes(d, tally.sum_y));
    result.sum_abs_x = hn::GetLane(hn::SumOfLanes(d, tally.sum_abs_x));
    result.sum_abs_y = hn::GetLane(hn::SumOfLanes(d, tally.sum_abs_y));
    return result;
}

std::int64_t target() {
    return HWY_TARGET;
}

}  // namespace pinwise::npb::ep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace pinwise::npb::ep {

HWY_EXPORT(tally_batch);
HWY_EXPORT(target);

PairTally& PairTally::operator+=(const PairTally& other) {
    for (std::size_t annulus = 0; annulus < annuli; ++annulus)
        counts[annulus] += other.counts[annulus];
    sum_x += other.sum_x;
    sum_y += other.sum_y;
    sum_abs_x += other.sum_abs_x;
    sum_abs_y += other.sum_abs_y;
    return *this;
}

std::uint64_t PairTally::pairs() const {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

PairTally tally_batches(std::uint64_t first, std::uint64_t count) {
    PairTally tally;
    for (std::uint64_t batch = first; batch < first + count; ++batch)
        tally += HWY_DYNAMIC_DISPATCH(tally_batch)(batch);
    return tally;
}

std::string vector_target() {
    return hwy::TargetName(HWY_DYNAMIC_DISPATCH(target)());
}

}  // namespace pinwise::npb::ep

#endif
