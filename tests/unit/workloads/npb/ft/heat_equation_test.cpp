// The heat equation on a team: every point against the solution mode by mode, the same bits for any number of threads.

#include "workloads/npb/ft/heat_equation.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/npb/common/random.hpp"
#include "workloads/npb/ft/problem.hpp"

namespace pinwise::npb::ft {
namespace {

using Values = std::vector<std::complex<double>>;

/// Transforms along one dimension (lines of n points, `stride` apart), by definition; sign −1 or +1.
void transform_dimension(Values& values, std::size_t n, std::size_t stride, double sign) {
    for (std::size_t start = 0; start < values.size(); ++start) {
        if (start / stride % n != 0) continue;
        Values line(n);
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < n; ++j)
                line[k] += values[start + j * stride] *
                           std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) /
                                               static_cast<double>(n));
        for (std::size_t k = 0; k < n; ++k)
            values[start + k * stride] = line[k];
    }
}

void transform_all(Values& values, const Extent& extent, double sign) {
    transform_dimension(values, extent.nx, 1, sign);
    transform_dimension(values, extent.ny, extent.nx, sign);
    transform_dimension(values, extent.nz, extent.nx * extent.ny, sign);
}

double wave_number(std::size_t j, std::size_t n) {
    return static_cast<double>(j) - (j < n / 2 ? 0.0 : static_cast<double>(n));
}

Values plain_solution(const Extent& extent, int steps) {
    Values values(extent.points());
    RandomStream random;
    for (auto& value : values) {
        const double re = random.next();
        value = {re, random.next()};
    }
    transform_all(values, extent, -1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = wave_number(i % extent.nx, extent.nx);
        const double y = wave_number(i / extent.nx % extent.ny, extent.ny);
        const double z = wave_number(i / extent.nx / extent.ny, extent.nz);
        values[i] *= std::exp(-4 * alpha * std::numbers::pi * std::numbers::pi * (x * x + y * y + z * z) * steps);
    }
    transform_all(values, extent, 1);
    return values;
}

struct Solved {
    HeatEquation equation;
    Solution solution;
};

Solved solve(const Extent& extent, int threads, int steps, workloads::Touch touch = workloads::Touch::parallel) {
    auto team = workloads::start_team(threads).value();
    auto equation = HeatEquation::allocate(extent, team.threads.size(), workloads::ThpAdvice::off).value();
    equation.first_touch(touch);
    equation.solve(team, 0);
    Solution solution = equation.solve(team, steps);
    return {std::move(equation), std::move(solution)};
}

TEST(HeatEquation, gives_the_solution_at_every_point) {
    for (const Extent& extent : {Extent{32, 4, 8}, Extent{32, 16, 4}}) {
        const Values expected = plain_solution(extent, 3);
        const Solved solved = solve(extent, 2, 3);
        double largest = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            largest =
                std::max(largest, std::abs(expected[i] - solved.equation.value(i % extent.nx, i / extent.nx % extent.ny,
                                                                               i / extent.nx / extent.ny)));
        EXPECT_LT(largest, 1e-13 * static_cast<double>(extent.points()));
    }
}

TEST(HeatEquation, gives_the_same_bits_for_any_number_of_threads) {
    constexpr Extent extent{64, 16, 16};
    const auto alone = solve(extent, 1, 4).solution.checksums;
    for (const int threads : {2, 3, 7, 16, 60})
        for (const workloads::Touch touch : {workloads::Touch::parallel, workloads::Touch::master})
            EXPECT_EQ(solve(extent, threads, 4, touch).solution.checksums, alone) << threads;
}

TEST(HeatEquation, gives_the_checksums_of_class_s) {
    const Problem& problem = problem_of(ProblemClass::s);
    const auto solution = solve(problem.extent, 3, problem.iterations()).solution;
    for (std::size_t i = 0; i < problem.checksums.size(); ++i)
        EXPECT_LT(std::abs((solution.checksums[i] - problem.checksums[i]) / problem.checksums[i]), tolerance);
}

TEST(HeatEquation, times_the_setup_and_every_step) {
    const auto solution = solve({32, 4, 8}, 2, 5).solution;
    ASSERT_EQ(solution.step_times_s.size(), 5U);
    double sum = solution.setup_time_s;
    for (const double time : solution.step_times_s)
        sum += time;
    EXPECT_GT(solution.setup_time_s, 0.0);
    EXPECT_LE(sum, solution.time_s * 1.001);
}

TEST(HeatEquation, gives_all_of_field_and_spectrum_to_the_threads) {
    constexpr Extent extent{64, 16, 16};
    for (const std::size_t threads : {1U, 2U, 3U, 7U, 60U, 300U}) {
        const auto equation = HeatEquation::allocate(extent, threads, workloads::ThpAdvice::off).value();
        std::size_t bytes = 0;
        for (std::size_t thread = 0; thread < threads; ++thread)
            for (const auto& range : equation.ranges_of_thread(thread))
                bytes += range.size();
        EXPECT_EQ(bytes, (FieldShape{extent}.elements() + SpectrumShape{extent}.elements()) * sizeof(double))
            << threads;
    }
}

TEST(HeatEquation, needs_less_memory_than_the_official_arrays) {
    const double official = 40.0 * 257 * 256 * 128;
    EXPECT_LT(static_cast<double>(HeatEquation::bytes_needed(problem_of(ProblemClass::a).extent, 2)), official);
}

}  // namespace
}  // namespace pinwise::npb::ft
