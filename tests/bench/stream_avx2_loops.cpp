#include "tests/bench/stream_loops.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace pinwise::bench {

#if defined(__AVX2__)

namespace {

constexpr double q = 0.42;
constexpr std::size_t lanes = 4;
constexpr std::size_t step = 4 * lanes;

void store_regular(double* to, __m256d value) {
    _mm256_store_pd(to, value);
}
void store_nontemporal(double* to, __m256d value) {
    _mm256_stream_pd(to, value);
}

template <auto store>
void run_avx2(Kernel kernel, const Parts& parts) {
    double* a = parts.a;
    double* b = parts.b;
    double* c = parts.c;
    const __m256d factor = _mm256_set1_pd(q);
    const auto each = [n = parts.n](double* out, auto&& value_at) {
        for (std::size_t i = 0; i < n; i += step) {
            const __m256d v0 = value_at(i);
            const __m256d v1 = value_at(i + lanes);
            const __m256d v2 = value_at(i + 2 * lanes);
            const __m256d v3 = value_at(i + 3 * lanes);
            store(out + i, v0);
            store(out + i + lanes, v1);
            store(out + i + 2 * lanes, v2);
            store(out + i + 3 * lanes, v3);
        }
    };
    switch (kernel) {
        case Kernel::copy:
            each(c, [&](std::size_t i) { return _mm256_load_pd(a + i); });
            break;
        case Kernel::scale:
            each(b, [&](std::size_t i) { return _mm256_mul_pd(factor, _mm256_load_pd(c + i)); });
            break;
        case Kernel::add:
            each(c, [&](std::size_t i) { return _mm256_add_pd(_mm256_load_pd(a + i), _mm256_load_pd(b + i)); });
            break;
        case Kernel::triad:
            each(a,
                 [&](std::size_t i) { return _mm256_fmadd_pd(factor, _mm256_load_pd(c + i), _mm256_load_pd(b + i)); });
            break;
    }
    _mm_sfence();
}

}  // namespace

std::vector<Loop> avx2_loops() {
    return {{"AVX2 regular", run_avx2<store_regular>, 0, true},
            {"AVX2 nontemporal", run_avx2<store_nontemporal>, 0, true}};
}

#else

std::vector<Loop> avx2_loops() {
    return {};
}

#endif

}  // namespace pinwise::bench
