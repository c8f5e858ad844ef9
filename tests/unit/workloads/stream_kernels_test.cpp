// The kernels on every instruction set this CPU has: bit for bit the scalar loops, every tail and alignment, no element
// beyond the end.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "tests/unit/workloads/forced_target.hpp"
#include "workloads/stream/kernels.hpp"

namespace pinwise::stream {
namespace {

using test::ForcedTarget;

constexpr double q = 0.42;
constexpr double untouched = -777.0;
constexpr std::size_t guard = 40;

/// Inputs of full mantissas, so that rounding differences cannot hide.
std::vector<double> numbers(std::size_t count, double seed) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = std::sin(seed + static_cast<double>(i)) + 2.0;
    return values;
}

struct KernelCase {
    const char* name;
    void (*run)(const double* x, const double* y, double* out, std::size_t n, Stores stores);
    double (*expected)(double x, double y);
};

double multiply_then_add(double x, double y) {
    const volatile double product = q * y;  // rounded: no fused multiply-add here either
    return x + product;
}

const std::vector<KernelCase> cases{
    {"Copy", [](const double* x, const double*, double* out, std::size_t n, Stores s) { copy(x, out, n, s); },
     [](double x, double) { return x; }},
    {"Scale", [](const double* x, const double*, double* out, std::size_t n, Stores s) { scale(q, x, out, n, s); },
     [](double x, double) { return q * x; }},
    {"Add", [](const double* x, const double* y, double* out, std::size_t n, Stores s) { add(x, y, out, n, s); },
     [](double x, double y) { return x + y; }},
    {"Triad", [](const double* x, const double* y, double* out, std::size_t n, Stores s) { triad(q, x, y, out, n, s); },
     multiply_then_add},
};

/// Output `out_offset` elements beyond a cache line, inputs elsewhere.
void expect_scalar_result(const KernelCase& kernel, std::size_t n, std::size_t out_offset, Stores stores) {
    const auto x = numbers(n + 3, 0.1);
    const auto y = numbers(n + 5, 0.7);
    std::vector<double> out(n + 2 * guard, untouched);
    auto* start = out.data() + guard / 2;
    while (reinterpret_cast<std::uintptr_t>(start) % 64 != 0)
        ++start;
    start += out_offset;
    kernel.run(x.data() + 3, y.data() + 5, start, n, stores);
    const auto begin = static_cast<std::size_t>(start - out.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const bool inside = i >= begin && i < begin + n;
        const double expected = inside ? kernel.expected(x[i - begin + 3], y[i - begin + 5]) : untouched;
        ASSERT_EQ(out[i], expected) << kernel.name << ' ' << vector_target() << ' ' << to_string(stores) << " n " << n
                                    << " offset " << out_offset << " at " << i;
    }
}

TEST(StreamKernels, give_the_scalar_results_on_every_instruction_set_for_every_tail_and_alignment) {
    int tested = 0;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        const ForcedTarget forced(target);
        ASSERT_EQ(vector_target(), hwy::TargetName(target));
        ++tested;
        for (const auto& kernel : cases)
            for (const Stores stores : {Stores::regular, Stores::nontemporal}) {
                for (std::size_t n = 0; n <= 70; ++n)
                    for (const std::size_t offset : {0U, 1U, 2U, 3U, 4U, 7U})
                        expect_scalar_result(kernel, n, offset, stores);
                for (const std::size_t n : {127U, 128U, 129U, 1000U, 1001U, 4096U, 10007U})
                    for (const std::size_t offset : {0U, 5U})
                        expect_scalar_result(kernel, n, offset, stores);
            }
    }
    EXPECT_GE(tested, 1);
}

TEST(StreamKernels, name_the_target_and_its_vector_length) {
    EXPECT_FALSE(vector_target().empty());
    EXPECT_GE(vector_bytes(), sizeof(double));
    EXPECT_EQ(vector_bytes() % sizeof(double), 0U);
}

}  // namespace
}  // namespace pinwise::stream
