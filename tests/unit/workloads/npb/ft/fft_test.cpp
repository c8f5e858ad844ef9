// The transforms against the definition of the discrete Fourier transform, on every instruction set this CPU has.

#include "workloads/npb/ft/fft.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/workloads/forced_target.hpp"

namespace pinwise::npb::ft {
namespace {

using Line = std::vector<std::complex<double>>;

Line numbers(std::size_t n, double seed) {
    Line line(n);
    for (std::size_t i = 0; i < n; ++i)
        line[i] = {std::sin(seed + static_cast<double>(i * i)), std::cos(seed * 3 + static_cast<double>(7 * i * i))};
    return line;
}

Line plain_transform(const Line& line) {
    const std::size_t n = line.size();
    Line roots(n);
    for (std::size_t k = 0; k < n; ++k)
        roots[k] = std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
    Line result(n);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j)
            result[k] += line[j] * roots[j * k % n];
    return result;
}

/// Where point `x` of a row or of a bundle's cross-section is.
std::size_t offset_of(std::size_t x) {
    return x / group_points * group_doubles + x % group_points;
}

void put(std::vector<double>& memory, std::size_t offset, std::complex<double> value) {
    memory[offset] = value.real();
    memory[offset + group_points] = value.imag();
}

std::complex<double> get(const std::vector<double>& memory, std::size_t offset) {
    return {memory[offset], memory[offset + group_points]};
}

double largest_difference(const Line& left, const Line& right) {
    double largest = 0;
    for (std::size_t i = 0; i < left.size(); ++i)
        largest = std::max(largest, std::abs(left[i] - right[i]));
    return largest;
}

/// Memory of a bundle of lines of n points, `stride` doubles apart, on a cache line, and what is in it.
struct Bundle {
    Bundle(std::size_t n, std::size_t distance) : points(n), stride(distance), memory(n * distance + 8) {
        for (std::size_t line = 0; line < bundle_points; ++line) {
            lines.push_back(numbers(n, 0.1 + static_cast<double>(line)));
            for (std::size_t i = 0; i < n; ++i)
                put(memory, first() + i * stride + offset_of(line), lines.back()[i]);
        }
    }

    /// Nontemporal stores need a cache line's alignment.
    [[nodiscard]] std::size_t first() const {
        return (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64 / sizeof(double);
    }

    [[nodiscard]] Line line(std::size_t number) const {
        Line values(points);
        for (std::size_t i = 0; i < points; ++i)
            values[i] = get(memory, first() + i * stride + offset_of(number));
        return values;
    }

    std::size_t points;
    std::size_t stride;
    std::vector<double> memory;
    std::vector<Line> lines;
};

template <class Check>
void on_every_target(const Check& check) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        const test::ForcedTarget forced(target);
        check();
    }
}

std::vector<double> scratch_for(std::size_t n) {
    return std::vector<double>(scratch_elements({n, n, n}));
}

TEST(FftPlan, has_radices_whose_product_is_the_length) {
    for (std::size_t n = 4; n <= 8192; n *= 2) {
        std::size_t product = 1;
        for (const FftStage& stage : plan_fft(n).stages) {
            EXPECT_EQ(stage.s, product);
            product *= stage.radix;
            EXPECT_EQ(stage.m, n / product);
        }
        EXPECT_EQ(product, n);
    }
}

TEST(Fft, transforms_bundles_of_any_power_of_two) {
    on_every_target([] {
        for (std::size_t n = 4; n <= 1024; n *= 2) {
            Bundle bundle(n, bundle_doubles + 16);
            auto scratch = scratch_for(n);
            transform_bundle(plan_fft(n), bundle.memory.data() + bundle.first(), bundle.stride, scratch);
            for (const std::size_t line : {0U, 1U, 6U, 15U})
                EXPECT_LT(largest_difference(bundle.line(line), plain_transform(bundle.lines[line])),
                          2e-14 * static_cast<double>(n))
                    << vector_target() << " n " << n << " line " << line;
        }
    });
}

TEST(Fft, transforms_rows_of_any_power_of_two) {
    on_every_target([] {
        for (std::size_t n = 32; n <= 2048; n *= 2) {
            const std::size_t stride = 2 * n + 16;
            std::vector<double> memory(3 * stride, -7.0);
            std::vector<Line> lines;
            for (std::size_t row = 0; row < 3; ++row) {
                lines.push_back(numbers(n, 0.3 + static_cast<double>(row)));
                for (std::size_t x = 0; x < n; ++x)
                    put(memory, row * stride + offset_of(x), lines.back()[x]);
            }
            auto scratch = scratch_for(n);
            for (std::size_t row = 0; row < 3; ++row)
                transform_row(plan_row_fft(n), memory.data() + row * stride, memory.data(), scratch);
            for (std::size_t row = 0; row < 3; ++row) {
                Line result(n);
                for (std::size_t x = 0; x < n; ++x)
                    result[x] = get(memory, row * stride + offset_of(x));
                EXPECT_LT(largest_difference(result, plain_transform(lines[row])), 2e-14 * static_cast<double>(n))
                    << vector_target() << " n " << n << " row " << row;
                EXPECT_EQ(memory[row * stride + 2 * n], -7.0) << "the padding was written";
            }
        }
    });
}

TEST(Fft, gathers_a_bundle_and_scatters_it_back_decayed) {
    on_every_target([] {
        for (const std::size_t n : {4U, 8U, 32U, 128U, 256U}) {
            Bundle field(n, bundle_doubles + 32);
            Bundle spectrum(n, bundle_doubles);
            auto scratch = scratch_for(n);
            const FftPlan plan = plan_fft(n);
            gather_transform_bundle(plan, field.memory.data() + field.first(), field.stride,
                                    spectrum.memory.data() + spectrum.first(), scratch);
            EXPECT_LT(largest_difference(spectrum.line(3), plain_transform(field.lines[3])),
                      2e-14 * static_cast<double>(n));

            std::vector<double> across(bundle_points);
            for (std::size_t i = 0; i < bundle_points; ++i)
                across[i] = 1.0 / static_cast<double>(i + 1);
            const std::vector<double> along(n, 0.5);
            decay_transform_bundle(plan, spectrum.memory.data() + spectrum.first(), {across, along},
                                   field.memory.data() + field.first(), field.stride, scratch);
            // The other sign of the exponent, unnormalised, undoes the first transform but for a factor n.
            for (const std::size_t line : {0U, 5U, 15U}) {
                Line expected = field.lines[line];
                for (auto& value : expected)
                    value = std::complex(value.imag(), value.real()) * (0.5 * across[line] * static_cast<double>(n));
                EXPECT_LT(largest_difference(field.line(line), expected), 2e-14 * static_cast<double>(n))
                    << vector_target() << " n " << n << " line " << line;
            }
        }
    });
}

TEST(Fft, is_linear) {
    constexpr std::size_t n = 64;
    Bundle first(n, bundle_doubles);
    Bundle second(n, bundle_doubles);
    Bundle sum(n, bundle_doubles);
    for (std::size_t i = 0; i < n * bundle_doubles; ++i) {
        const double value = std::sin(static_cast<double>(5 * i));
        second.memory[second.first() + i] = value;
        sum.memory[sum.first() + i] = 2 * first.memory[first.first() + i] - 3 * value;
    }
    auto scratch = scratch_for(n);
    for (Bundle* bundle : {&first, &second, &sum})
        transform_bundle(plan_fft(n), bundle->memory.data() + bundle->first(), bundle->stride, scratch);
    for (std::size_t i = 0; i < n * bundle_doubles; ++i)
        ASSERT_NEAR(sum.memory[sum.first() + i],
                    2 * first.memory[first.first() + i] - 3 * second.memory[second.first() + i], 1e-11);
}

}  // namespace
}  // namespace pinwise::npb::ft
