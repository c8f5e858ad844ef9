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

/// Vectors a step, and at most so many bytes a vector: docs/workloads/stream.md has what other numbers gave. Scalable
/// vectors (SVE, RVV) keep their own length.
constexpr std::size_t unroll = 4;
#if HWY_HAVE_SCALABLE
using Vector = hn::ScalableTag<double>;
#else
using Vector = hn::CappedTag<double, 4>;
#endif
constexpr std::size_t cache_line_bytes = 64;

// A body gives the vector of results for elements [i, i + lanes of D).

struct CopyBody {
    const double* a;

    template <class D>
    HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
        return hn::LoadU(d, a + i);
    }
};

struct ScaleBody {
    double q;
    const double* c;

    template <class D>
    HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
        return hn::Mul(hn::Set(d, q), hn::LoadU(d, c + i));
    }
};

struct AddBody {
    const double* a;
    const double* b;

    template <class D>
    HWY_INLINE hn::Vec<D> operator()(D d, std::size_t i) const {
        return hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
    }
};

struct TriadBody {
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

template <Stores stores, class D>
HWY_INLINE void store(hn::Vec<D> value, D d, double* to) {
    if constexpr (stores == Stores::nontemporal) {
        hn::Stream(value, d, to);
    } else {
        hn::Store(value, d, to);
    }
}

template <Stores stores, class Body>
HWY_INLINE void sweep(const Body& body, double* out, std::size_t n) {
    const Vector d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t alignment = HWY_MAX(cache_line_bytes, lanes * sizeof(double));
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(out) % alignment;
    const std::size_t head = HWY_MIN(n, misaligned == 0 ? 0 : (alignment - misaligned) / sizeof(double));
    sweep_scalar(body, out, 0, head);
    std::size_t i = head;
    for (; i + unroll * lanes <= n; i += unroll * lanes) {
        const auto v0 = body(d, i);
        const auto v1 = body(d, i + lanes);
        const auto v2 = body(d, i + 2 * lanes);
        const auto v3 = body(d, i + 3 * lanes);
        store<stores>(v0, d, out + i);
        store<stores>(v1, d, out + i + lanes);
        store<stores>(v2, d, out + i + 2 * lanes);
        store<stores>(v3, d, out + i + 3 * lanes);
    }
    for (; i + lanes <= n; i += lanes)
        store<stores>(body(d, i), d, out + i);
    sweep_scalar(body, out, i, n);
    // Nontemporal stores are weakly ordered: the other threads must see them when the barrier lets them go on.
    if constexpr (stores == Stores::nontemporal) hwy::FlushStream();
}

template <class Body>
HWY_INLINE void sweep_with(Stores stores, const Body& body, double* out, std::size_t n) {
    if (stores == Stores::nontemporal) {
        sweep<Stores::nontemporal>(body, out, n);
    } else {
        sweep<Stores::regular>(body, out, n);
    }
}

void copy(const double* a, double* c, std::size_t n, Stores stores) {
    sweep_with(stores, CopyBody{a}, c, n);
}

void scale(double q, const double* c, double* b, std::size_t n, Stores stores) {
    sweep_with(stores, ScaleBody{q, c}, b, n);
}

void add(const double* a, const double* b, double* c, std::size_t n, Stores stores) {
    sweep_with(stores, AddBody{a, b}, c, n);
}

void triad(double q, const double* b, const double* c, double* a, std::size_t n, Stores stores) {
    sweep_with(stores, TriadBody{q, b, c}, a, n);
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
