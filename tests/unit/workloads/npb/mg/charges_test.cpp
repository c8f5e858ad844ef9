// The right-hand side of MG: the charges of class S as published, the same for any number of threads.

#include "workloads/npb/mg/charges.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinwise::npb::mg {
namespace {

struct Point {
    PointNumber x;
    PointNumber y;
    PointNumber z;
};

std::vector<PointNumber> numbers(const std::vector<Point>& points, PointNumber n) {
    std::vector<PointNumber> result;
    for (const Point& point : points)
        result.push_back(point.x + n * (point.y + n * point.z));
    return result;
}

TEST(MgCharges, are_those_of_class_s) {
    const Charges charges = find_charges(32, 1);
    EXPECT_THAT(charges.negative, testing::ElementsAreArray(numbers({{0, 11, 2},
                                                                     {13, 8, 17},
                                                                     {5, 14, 0},
                                                                     {4, 28, 15},
                                                                     {12, 2, 1},
                                                                     {5, 17, 8},
                                                                     {20, 19, 11},
                                                                     {26, 15, 31},
                                                                     {8, 25, 22},
                                                                     {7, 14, 26}},
                                                                    32)));
    EXPECT_THAT(charges.positive, testing::ElementsAreArray(numbers({{7, 1, 20},
                                                                     {19, 29, 31},
                                                                     {2, 0, 3},
                                                                     {4, 22, 3},
                                                                     {1, 16, 21},
                                                                     {21, 31, 6},
                                                                     {12, 15, 12},
                                                                     {30, 4, 25},
                                                                     {28, 0, 28},
                                                                     {17, 26, 17}},
                                                                    32)));
}

TEST(MgCharges, do_not_depend_on_the_number_of_threads) {
    const Charges alone = find_charges(32, 1);
    for (const int threads : {2, 3, 7, 61}) {
        const Charges shared = find_charges(32, threads);
        EXPECT_EQ(shared.positive, alone.positive) << threads;
        EXPECT_EQ(shared.negative, alone.negative) << threads;
    }
}

TEST(MgCharges, are_placed_and_nothing_else_is_changed) {
    const GridShape shape = GridShape::of(32);
    std::vector<double> values(shape.elements(), 0.0);
    place_charges(find_charges(32, 1), {values, shape});
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    EXPECT_EQ(sum, 0.0);
    EXPECT_EQ(squares, 20.0);
    EXPECT_EQ((Grid{values, shape}.row(1, 20)[7]), 1.0);
    EXPECT_EQ((Grid{values, shape}.row(11, 2)[0]), -1.0);
}

}  // namespace
}  // namespace pinwise::npb::mg
