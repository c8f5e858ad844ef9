// The initial field, the decay and the operation count of FT.

#include "workloads/npb/ft/initial_condition.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/npb/common/random.hpp"
#include "workloads/npb/ft/decay_table.hpp"
#include "workloads/npb/ft/problem.hpp"

namespace pinwise::npb::ft {
namespace {

TEST(FtInitialCondition, begins_as_published) {
    const FieldShape shape{{64, 64, 64}};
    std::vector<double> row(shape.row_stride());
    fill_row(shape, 0, 0, row.data());
    EXPECT_EQ(row[0], 0.79452191118873827);
    EXPECT_EQ(row[group_points], 0.86906527387453991);
    EXPECT_EQ(row[1], 0.64763172846433292);
    EXPECT_EQ(row[group_points + 1], 0.78556265022895388);
}

TEST(FtInitialCondition, is_the_sequence_in_the_order_of_x_then_y_then_z) {
    const FieldShape shape{{32, 4, 4}};
    RandomStream random;
    std::vector<double> row(shape.row_stride());
    for (std::size_t z = 0; z < 4; ++z)
        for (std::size_t y = 0; y < 4; ++y) {
            fill_row(shape, y, z, row.data());
            for (std::size_t x = 0; x < 32; ++x) {
                const double* point = row.data() + shape.offset(x, 0, 0);
                ASSERT_EQ(point[0], random.next()) << x << ' ' << y << ' ' << z;
                ASSERT_EQ(point[group_points], random.next()) << x << ' ' << y << ' ' << z;
            }
        }
}

TEST(FtDecay, separates_into_factors_of_the_three_dimensions) {
    const DecayTable x(64, 3);
    const DecayTable z(32, 3);
    const double exponent = -4e-6 * std::numbers::pi * std::numbers::pi * (5.0 * 5.0 + 12.0 * 12.0) * 3;
    EXPECT_NEAR(x.of_step(3)[5] * z.of_step(3)[32 - 12] / std::exp(exponent), 1.0, 1e-15);
    EXPECT_EQ(x.of_step(1)[0], 1.0);
    EXPECT_EQ(x.of_step(2)[63], x.of_step(2)[1]) << "wave numbers 1 and -1 decay alike";
}

TEST(FtProblem, has_the_operation_count_of_npb) {
    const Problem& problem = problem_of(ProblemClass::a);
    const double points = 256.0 * 256 * 128;
    const double expected =
        points * (14.8157 + 7.19641 * std::log(points) + (5.23518 + 7.21113 * std::log(points)) * 6);
    EXPECT_DOUBLE_EQ(operations(problem), expected);
}

}  // namespace
}  // namespace pinwise::npb::ft
