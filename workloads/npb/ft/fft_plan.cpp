#include "workloads/npb/ft/fft_plan.hpp"

#include <cmath>
#include <numbers>

namespace pinwise::npb::ft {

namespace {

struct Root {
    double re;
    double im;
};

/// exp(−2πi·k/n), each from sin and cos of its own angle: a recurrence would lose the digits that FT checks.
Root root_of_unity(std::size_t k, std::size_t n) {
    const double angle = -2.0 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
    return {std::cos(angle), std::sin(angle)};
}

}  // namespace

FftPlan plan_fft(std::size_t n) {
    FftPlan plan{n, {}};
    std::size_t rest = n;
    std::size_t s = 1;
    while (rest > 1) {
        // 2^m is a product of 8s and 4s for every m ≥ 2, as long as 16 and 4 are left to the 4s.
        const std::size_t radix = rest == 4 || rest == 16 ? 4 : 8;
        rest /= radix;
        FftStage stage{radix, s, rest, {}};
        for (std::size_t p = 0; rest > 1 && p < rest; ++p) {
            for (std::size_t k = 1; k < radix; ++k) {
                const Root root = root_of_unity(p * k * s, n);
                stage.twiddles.insert(stage.twiddles.end(), {root.re, root.im});
            }
        }
        plan.stages.push_back(std::move(stage));
        s *= radix;
    }
    return plan;
}

RowFftPlan plan_row_fft(std::size_t n) {
    RowFftPlan plan{n, plan_fft(n / 8), {}};
    const std::size_t m = n / 8;
    for (std::size_t b = 1; b < 8; ++b) {
        for (std::size_t a = 0; a < m; ++a)
            plan.twiddles.push_back(root_of_unity(a * b, n).re);
        for (std::size_t a = 0; a < m; ++a)
            plan.twiddles.push_back(root_of_unity(a * b, n).im);
    }
    return plan;
}

}  // namespace pinwise::npb::ft
