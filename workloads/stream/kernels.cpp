#include "workloads/stream/kernels.hpp"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "workloads/stream/kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pinwise::stream::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// docs/workloads/stream.md has what other shapes than these gave.

/// At most 32 bytes a vector: wider ones were slower. Scalable vectors (SVE, RVV) keep their own length.
#if HWY_HAVE_SCALABLE
using Vector = hn::ScalableTag<double>;
#else
using Vector = hn::CappedTag<double, 4>;
#endif
constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t line_elements = cache_line_bytes / sizeof(double);
constexpr std::size_t prefetch_elements = 2048 / sizeof(double);

// A body gives the vector of results for elements [i, i + lanes of D). Those with one input
// can ask for it ahead: software prefetch helps them and hinders those with two.

struct CopyBody {
    static constexpr int inputs = 1;
    const double* a;

    template <class D>
    HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
        return hn::LoadU(d, a + i);
    }

    HWY_INLINE void prefetch(std::size_t i) const { hwy::Prefetch(a + i); }
};

struct ScaleBody {
    static constexpr int inputs = 1;
    double q;
    const double* c;

    template <class D>
    HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
        return hn::Mul(hn::Set(d, q), hn::LoadU(d, c + i));
    }

    HWY_INLINE void prefetch(std::size_t i) const { hwy::Prefetch(c + i); }
};

struct AddBody {
    static constexpr int inputs = 2;
    const double* a;
    const double* b;

    template <class D>
    HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
        return hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    }
};

struct TriadBody {
    static constexpr int inputs = 2;
    double q;
    const double* b;
    const double* c;

    template <class D>
    HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
        return hn::Add(hn::LoadU(d, b + i), hn::Mul(hn::Set(d, q), hn::LoadU(d, c + i)));
    }
};

/// Elements one by one: heads up to a cache line, and tails.
template <class Body>
HWY_INLINE void sweep_scalar(const Body& body, double* out, std::size_t begin, std::size_t end) {
    const hn::CappedTag<double, 1> one;
    for (std::size_t i = begin; i < end; ++i)
        hn::StoreU(body(one, i), one, out + i);
}

/// Asks for the cache lines of `elements` elements, some way ahead of i. Addresses beyond the end are harmless: a
/// prefetch never faults.
template <class Body>
HWY_INLINE void prefetch_ahead(const Body& body, std::size_t i, std::size_t elements) {
    for (std::size_t line = 0; line < elements; line += line_elements)
        body.prefetch(i + prefetch_elements + line);
}

template <Stores stores, class D>
HWY_INLINE void store(hn::Vec<D> value, D d, double* to) {
    if constexpr (stores == Stores::nontemporal) {
        hn::Stream(value, d, to);
    } else {
        hn::Store(value, d, to);
    }
}

/// Whole vectors from the aligned out + begin; returns where it ended. Four vectors a step, except for regular stores
/// with one input, where that was slower.
template <Stores stores, class Body>
HWY_INLINE std::size_t sweep_vectors(const Body& body, double* out, std::size_t begin, std::size_t end) {
    const Vector d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t step = 4 * lanes;
    std::size_t i = begin;
    if constexpr (stores == Stores::nontemporal || Body::inputs == 2) {
        for (; i + step <= end; i += step) {
            if constexpr (Body::inputs == 1) prefetch_ahead(body, i, step);
            const auto v0 = body(d, i);
            const auto v1 = body(d, i + lanes);
            const auto v2 = body(d, i + 2 * lanes);
            const auto v3 = body(d, i + 3 * lanes);
            store<stores>(v0, d, out + i);
            store<stores>(v1, d, out + i + lanes);
            store<stores>(v2, d, out + i + 2 * lanes);
            store<stores>(v3, d, out + i + 3 * lanes);
        }
    }
    for (; i + lanes <= end; i += lanes)
        store<stores>(body(d, i), d, out + i);
    // Nontemporal stores are weakly ordered: the other threads must see them when the barrier lets them go on.
    if constexpr (stores == Stores::nontemporal) hwy::FlushStream();
    return i;
}

template <class Body>
HWY_INLINE void sweep(Stores stores, const Body& body, double* out, std::size_t n) {
    const std::size_t alignment = HWY_MAX(cache_line_bytes, hn::Lanes(Vector()) * sizeof(double));
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(out) % alignment;
    const std::size_t head = HWY_MIN(n, misaligned == 0 ? 0 : (alignment - misaligned) / sizeof(double));
    sweep_scalar(body, out, 0, head);
    const std::size_t tail = stores == Stores::nontemporal ? sweep_vectors<Stores::nontemporal>(body, out, head, n)
                                                           : sweep_vectors<Stores::regular>(body, out, head, n);
    sweep_scalar(body, out, tail, n);
}

void copy(const double* a, double* c, std::size_t n, Stores stores) {
    sweep(stores, CopyBody{a}, c, n);
}

void scale(double q, const double* c, double* b, std::size_t n, Stores stores) {
    sweep(stores, ScaleBody{q, c}, b, n);
}

void add(const double* a, const double* b, double* c, std::size_t n, Stores stores) {
    sweep(stores, AddBody{a, b}, c, n);
}

void triad(double q, const double* b, const double* c, double* a, std::size_t n, Stores stores) {
    sweep(stores, TriadBody{q, b, c}, a, n);
}

std::int64_t target() {
    return HWY_TARGET;
}

std::size_t vector_size() {
    return hn::Lanes(Vector()) * sizeof(double);
}

}  // namespace pinwise::stream::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace pinwise::stream {

HWY_EXPORT(copy);
HWY_EXPORT(scale);
HWY_EXPORT(add);
HWY_EXPORT(triad);
HWY_EXPORT(target);
HWY_EXPORT(vector_size);

std::string_view to_string(Stores stores) {
    return stores == Stores::regular ? "regular" : "nontemporal";
}

void copy(const double* a, double* c, std::size_t n, Stores stores) {
    HWY_DYNAMIC_DISPATCH(copy)(a, c, n, stores);
}

void scale(double q, const double* c, double* b, std::size_t n, Stores stores) {
    HWY_DYNAMIC_DISPATCH(scale)(q, c, b, n, stores);
}

void add(const double* a, const double* b, double* c, std::size_t n, Stores stores) {
    HWY_DYNAMIC_DISPATCH(add)(a, b, c, n, stores);
}

void triad(double q, const double* b, const double* c, double* a, std::size_t n, Stores stores) {
    HWY_DYNAMIC_DISPATCH(triad)(q, b, c, a, n, stores);
}

std::size_t vector_bytes() {
    return HWY_DYNAMIC_DISPATCH(vector_size)();
}

std::string vector_target() {
    return hwy::TargetName(HWY_DYNAMIC_DISPATCH(target)());
}

}  // namespace pinwise::stream

#endif
