// CG's matrix against the numbers that NPB's documents name, and the solver on it.

#include "workloads/npb/cg/sparse_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "workloads/npb/cg/cg_reference.hpp"
#include "workloads/npb/cg/power_iteration.hpp"
#include "workloads/npb/cg/row_products.hpp"

namespace pinwise::npb::cg {
namespace {

SparseMatrix class_s_matrix(int threads, workloads::Touch touch = workloads::Touch::parallel) {
    const Problem problem = problem_of(ProblemClass::s);
    auto matrix = SparseMatrix::make(RandomVectors(problem.rows, problem.nonzeros_per_vector), problem.shift, threads,
                                     touch, workloads::ThpAdvice::system_default);
    EXPECT_TRUE(matrix);
    return std::move(*matrix);
}

TEST(RandomVectors, are_those_that_NPB_names) {
    const RandomVectors vectors(1400, 7);
    const std::vector<Entry> expected{
        {1326, 0.86906527387454}, {36, 0.785562650228954},  {1032, 0.405377007209623}, {42, 0.304010104848899},
        {886, 0.888313265711545}, {657, 0.226901876998809}, {494, 0.886950502597998},  {0, 0.5}};
    const auto first = vectors.vector(0);
    ASSERT_EQ(first.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(first[i].position, expected[i].position);
        EXPECT_NEAR(first[i].value, expected[i].value, 1e-14);
    }
    EXPECT_EQ(vectors.vector(1)[0].position, 101U);
}

TEST(RandomVectors, know_which_of_them_meet_a_position) {
    const RandomVectors vectors(60, 5);
    for (std::size_t position = 0; position < 60; ++position) {
        std::vector<Index> expected;
        std::size_t products = 0;
        for (std::size_t i = 0; i < 60; ++i) {
            const auto entries = vectors.vector(i);
            if (std::ranges::find(entries, position, &Entry::position) == entries.end()) continue;
            expected.push_back(static_cast<Index>(i));
            products += entries.size();
        }
        EXPECT_TRUE(std::ranges::equal(vectors.vectors_with(position), expected));
        EXPECT_EQ(vectors.products_in_row(position), products);
    }
}

TEST(SparseMatrix, has_the_known_elements_sums_and_size) {
    const SparseMatrix matrix = class_s_matrix(1);
    EXPECT_EQ(matrix.nonzeros(), 78'148U);
    EXPECT_EQ(matrix.columns_of(0).size(), 43U);
    EXPECT_EQ(matrix.columns_of(1).size(), 63U);
    EXPECT_EQ(matrix.columns_of(2).size(), 42U);
    EXPECT_EQ(matrix.columns_of(0)[2], 36U);
    EXPECT_NEAR(matrix.values_of(0)[0], -8.82740553124274, 1e-13);
    EXPECT_NEAR(matrix.values_of(0)[3], 0.15200505242445, 1e-14);
    double trace = 0;
    double sum = 0;
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
        const auto columns = matrix.columns_of(row);
        EXPECT_TRUE(std::ranges::is_sorted(columns));
        for (std::size_t i = 0; i < columns.size(); ++i) {
            sum += matrix.values_of(row)[i];
            if (columns[i] == row) trace += matrix.values_of(row)[i];
        }
    }
    EXPECT_NEAR(trace, -1.24460719179843e+04, 1e-9);
    EXPECT_NEAR(sum, -4.79655932101332e+03, 1e-9);
}

TEST(SparseMatrix, is_the_same_to_the_last_bit_whoever_makes_its_rows) {
    const SparseMatrix one = class_s_matrix(1);
    for (const int threads : {2, 3, 300}) {
        const SparseMatrix other =
            class_s_matrix(threads, threads == 3 ? workloads::Touch::master : workloads::Touch::parallel);
        EXPECT_EQ(other.nonzeros(), one.nonzeros());
        for (std::size_t row = 0; row < one.rows(); ++row) {
            ASSERT_TRUE(std::ranges::equal(other.columns_of(row), one.columns_of(row))) << row;
            ASSERT_TRUE(std::ranges::equal(other.values_of(row), one.values_of(row))) << row;
        }
    }
}

TEST(SparseMatrix, multiplies_as_a_plain_loop_does) {
    const SparseMatrix matrix = class_s_matrix(3);
    std::vector<double> x(matrix.rows());
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = std::sin(static_cast<double>(i));
    std::vector<double> found(matrix.rows());
    for (std::size_t thread = 0; thread < 3; ++thread)
        matrix.multiply_own(thread, x.data(), found.data());
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
        double expected = 0;
        for (std::size_t i = 0; i < matrix.columns_of(row).size(); ++i)
            expected += matrix.values_of(row)[i] * x[matrix.columns_of(row)[i]];
        ASSERT_NEAR(found[row], expected, 1e-12) << row;
    }
}

TEST(RowProducts, take_rows_of_any_length) {
    for (std::size_t count = 0; count <= 40; ++count) {
        std::vector<double> values(2 * count + 1, 0.5);
        std::vector<std::uint32_t> columns(2 * count + 1);
        for (std::size_t i = 0; i < columns.size(); ++i)
            columns[i] = static_cast<std::uint32_t>(i);
        std::vector<double> x(columns.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<double>(i + 1);
        const std::array<std::size_t, 2> row_ends{count + 1, 2 * count + 1};
        std::array<double, 2> result{-1, -1};
        multiply_rows(values.data(), columns.data(), row_ends.data(), 1, 2, x.data(), result.data());
        double first = 0;
        double second = 0;
        for (std::size_t i = 1; i <= count; ++i) {
            first += 0.5 * x[i];
            second += 0.5 * x[i + count];
        }
        EXPECT_EQ(result[0], first);
        EXPECT_EQ(result[1], second);
    }
}

TEST(PowerIteration, gives_the_known_estimates) {
    const auto team = workloads::start_team(3);
    const SparseMatrix matrix = class_s_matrix(3);
    const auto vectors =
        SolverVectors::allocate(matrix, 3, workloads::Touch::parallel, workloads::ThpAdvice::system_default);
    ASSERT_TRUE(vectors);
    const double shift = problem_of(ProblemClass::s).shift;
    for (const auto& [iterations, zeta] : {std::pair{1, 9.9986441579140}, {2, 8.5733279203222}, {5, 8.5971549151767}}) {
        const auto found = iterate(matrix, *vectors, shift, iterations, *team);
        EXPECT_NEAR(found.zeta, zeta, 1e-12);
        EXPECT_LT(found.residual_norm, 1e-12);
        EXPECT_EQ(found.times_s.size(), static_cast<std::size_t>(iterations));
    }
}

TEST(CgReference, fails_an_estimate_of_too_few_iterations) {
    EXPECT_TRUE(check_of(ProblemClass::s, 8.5971775078648).passed());
    EXPECT_FALSE(check_of(ProblemClass::s, 8.5971549151767).passed());
    EXPECT_FALSE(check_of(ProblemClass::s, std::nan("")).passed());
}

TEST(CgReference, counts_NPBs_operations) {
    EXPECT_DOUBLE_EQ(problem_of(ProblemClass::a).operations(), 2.0 * 15 * 14000 * (3 + 132 + 25 * (5 + 132) + 3));
}

}  // namespace
}  // namespace pinwise::npb::cg
