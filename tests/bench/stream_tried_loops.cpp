// What was tried beyond one stream of vectors, four a step. Compiled for the machine at hand (-march=native) with
// Highway's static dispatch; what won is in workloads/stream/kernels.cpp, the figures are in docs/workloads/stream.md.

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "tests/bench/stream_loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace pinwise::bench {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr double q = 0.42;

/// How a sweep goes over its part.
struct Shape {
    std::size_t vector_bytes = 32;
    std::size_t unroll = 4;          ///< vectors a step
    std::size_t streams = 1;         ///< equal pieces of the part that advance together
    std::size_t prefetch_bytes = 0;  ///< how far ahead inputs are prefetched; 0 is not at all
    std::size_t block_bytes = 0;  ///< inputs are prefetched in blocks of so much before they are used; 0 is not at all
    bool nontemporal = true;
    bool fused = false;  ///< fused multiply-add in Triad
};

struct Inputs {
    const double* first = nullptr;
    const double* second = nullptr;
};

template <Kernel kernel, bool fused, class D>
HWY_INLINE hn::Vec<D> value_at(D d, const Inputs& in, std::size_t i) {
    const auto factor = hn::Set(d, q);
    if constexpr (kernel == Kernel::copy) return hn::Load(d, in.first + i);
    if constexpr (kernel == Kernel::scale) return hn::Mul(factor, hn::Load(d, in.first + i));
    if constexpr (kernel == Kernel::add) return hn::Add(hn::Load(d, in.first + i), hn::Load(d, in.second + i));
    if constexpr (kernel == Kernel::triad) {
        const auto product_term = hn::Load(d, in.second + i);
        if constexpr (fused) return hn::MulAdd(factor, product_term, hn::Load(d, in.first + i));
        return hn::Add(hn::Load(d, in.first + i), hn::Mul(factor, product_term));
    }
}

template <Kernel kernel>
inline constexpr bool has_two_inputs = kernel == Kernel::add || kernel == Kernel::triad;

/// Asks for the cache lines of [begin, begin + elements) of the inputs.
template <Kernel kernel>
HWY_INLINE void prefetch(const Inputs& in, std::size_t begin, std::size_t elements) {
    for (std::size_t i = begin; i < begin + elements; i += 8) {
        hwy::Prefetch(in.first + i);
        if constexpr (has_two_inputs<kernel>) hwy::Prefetch(in.second + i);
    }
}

template <Kernel kernel, Shape shape>
void sweep(const Inputs& in, double* out, std::size_t n) {
    const hn::CappedTag<double, shape.vector_bytes / sizeof(double)> d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t piece = n / shape.streams;
    for (std::size_t i = 0; i < piece; i += shape.unroll * lanes) {
        for (std::size_t s = 0; s < shape.streams; ++s) {
            const std::size_t base = s * piece + i;
            constexpr std::size_t step = shape.unroll * shape.vector_bytes / sizeof(double);
            if constexpr (shape.prefetch_bytes != 0)
                prefetch<kernel>(in, base + shape.prefetch_bytes / sizeof(double), step);
            if constexpr (shape.block_bytes != 0)
                if (base % (shape.block_bytes / sizeof(double)) == 0)
                    prefetch<kernel>(in, base, shape.block_bytes / sizeof(double));
#pragma GCC unroll 16
            for (std::size_t u = 0; u < shape.unroll; ++u) {
                const auto value = value_at<kernel, shape.fused>(d, in, base + u * lanes);
                if constexpr (shape.nontemporal) {
                    hn::Stream(value, d, out + base + u * lanes);
                } else {
                    hn::Store(value, d, out + base + u * lanes);
                }
            }
        }
    }
    hwy::FlushStream();
}

template <Shape shape>
void run_shape(Kernel kernel, const Parts& parts) {
    switch (kernel) {
        case Kernel::copy:
            return sweep<Kernel::copy, shape>({parts.a, nullptr}, parts.c, parts.n);
        case Kernel::scale:
            return sweep<Kernel::scale, shape>({parts.c, nullptr}, parts.b, parts.n);
        case Kernel::add:
            return sweep<Kernel::add, shape>({parts.a, parts.b}, parts.c, parts.n);
        case Kernel::triad:
            return sweep<Kernel::triad, shape>({parts.b, parts.c}, parts.a, parts.n);
    }
}

}  // namespace

std::vector<Loop> tried_loops() {
    return {
        {"16 B vectors", run_shape<Shape{.vector_bytes = 16}>},
        {"32 B vectors", run_shape<Shape{}>},
        {"64 B vectors", run_shape<Shape{.vector_bytes = 64}>},
        {"64 B vectors, unroll 1", run_shape<Shape{.vector_bytes = 64, .unroll = 1}>},
        {"unroll 1", run_shape<Shape{.unroll = 1}>},
        {"unroll 2", run_shape<Shape{.unroll = 2}>},
        {"unroll 8", run_shape<Shape{.unroll = 8}>},
        {"streams 2", run_shape<Shape{.streams = 2}>},
        {"streams 4", run_shape<Shape{.streams = 4}>},
        {"prefetch 512 B", run_shape<Shape{.prefetch_bytes = 512}>},
        {"prefetch 1 KiB", run_shape<Shape{.prefetch_bytes = 1024}>},
        {"prefetch 2 KiB", run_shape<Shape{.prefetch_bytes = 2048}>},
        {"prefetch blocks of 4 KiB", run_shape<Shape{.block_bytes = 4096}>},
        {"prefetch 3 KiB", run_shape<Shape{.prefetch_bytes = 3072}>},
        {"prefetch 4 KiB", run_shape<Shape{.prefetch_bytes = 4096}>},
        {"streams 2, prefetch 2 KiB", run_shape<Shape{.streams = 2, .prefetch_bytes = 2048}>},
        {"fused multiply-add", run_shape<Shape{.fused = true}>},
        {"offset 64 B", run_shape<Shape{}>, 64},
        {"offset 1 KiB", run_shape<Shape{}>, 1024},
        {"offset 4.25 KiB", run_shape<Shape{}>, 4096 + 256},
        {"offset 68 KiB", run_shape<Shape{}>, 65536 + 4096},
        {"regular", run_shape<Shape{.nontemporal = false}>},
        {"regular, 64 B vectors", run_shape<Shape{.vector_bytes = 64, .nontemporal = false}>},
        {"regular, unroll 1", run_shape<Shape{.unroll = 1, .nontemporal = false}>},
        {"regular, streams 2", run_shape<Shape{.streams = 2, .nontemporal = false}>},
        {"regular, offset 4.25 KiB", run_shape<Shape{.nontemporal = false}>, 4096 + 256},
        {"regular, prefetch 512 B", run_shape<Shape{.prefetch_bytes = 512, .nontemporal = false}>},
        {"regular, prefetch 2 KiB", run_shape<Shape{.prefetch_bytes = 2048, .nontemporal = false}>},
    };
}

}  // namespace pinwise::bench
HWY_AFTER_NAMESPACE();
