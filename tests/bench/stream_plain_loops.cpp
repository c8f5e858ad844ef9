#include "tests/bench/stream_loops.hpp"

namespace pinwise::bench {

namespace {

constexpr double q = 0.42;

void run_plain(Kernel kernel, const Parts& parts) {
    double* __restrict a = parts.a;
    double* __restrict b = parts.b;
    double* __restrict c = parts.c;
    const std::size_t n = parts.n;
    switch (kernel) {
        case Kernel::copy:
            for (std::size_t i = 0; i < n; ++i)
                c[i] = a[i];
            break;
        case Kernel::scale:
            for (std::size_t i = 0; i < n; ++i)
                b[i] = q * c[i];
            break;
        case Kernel::add:
            for (std::size_t i = 0; i < n; ++i)
                c[i] = a[i] + b[i];
            break;
        case Kernel::triad:
            for (std::size_t i = 0; i < n; ++i)
                a[i] = b[i] + q * c[i];
            break;
    }
}

}  // namespace

std::vector<Loop> plain_loops() {
    return {{"plain C++", run_plain, 0, true}};
}

}  // namespace pinwise::bench
