// The generator against wide integer arithmetic and the numbers that NPB's documents name.

#include "workloads/npb/common/random.hpp"

#include <array>
#include <random>

#include <gtest/gtest.h>

namespace pinwise::npb {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t wide_product(std::uint64_t x, std::uint64_t y) {
    return static_cast<std::uint64_t>(Wide{x} * y % (Wide{1} << 46U));
}

TEST(Random, multiplies_as_wide_integers_do) {
    std::mt19937_64 random(46);
    for (int trial = 0; trial < 100'000; ++trial) {
        const std::uint64_t x = random() & lcg_mask;
        const std::uint64_t y = random() & lcg_mask;
        ASSERT_EQ(lcg_product(x, y), wide_product(x, y)) << x << " * " << y;
    }
    EXPECT_EQ(lcg_product(lcg_mask, lcg_mask), 1U);
}

TEST(Random, begins_with_the_known_numbers) {
    RandomStream random;
    for (const std::uint64_t state : {55909509111989U, 61155031930969U, 45573031421645U, 55279057169489U})
        EXPECT_EQ(random.next_state(), state);
    RandomStream again;
    EXPECT_EQ(again.next(), 0.79452191118873827);
    EXPECT_EQ(again.next(), 0.86906527387453991);
    RandomStream of_ep(271'828'183);
    for (const std::uint64_t state : {32883653486115U, 55063727434591U, 39106144873291U, 46899331031975U})
        EXPECT_EQ(of_ep.next_state(), state);
}

TEST(Random, skips_to_where_single_steps_lead) {
    for (const std::uint64_t steps : {0U, 1U, 2U, 3U, 63U, 64U, 1000U, 65537U}) {
        RandomStream stepping;
        for (std::uint64_t i = 0; i < steps; ++i)
            stepping.next_state();
        RandomStream skipping;
        skipping.skip(steps);
        EXPECT_EQ(skipping.state(), stepping.state()) << steps;
    }
}

TEST(Random, skips_add_up_over_more_than_32_bits) {
    RandomStream once;
    once.skip((std::uint64_t{1} << 40U) + 12345);
    RandomStream twice;
    twice.skip(std::uint64_t{1} << 40U);
    twice.skip(12345);
    EXPECT_EQ(once.state(), twice.state());
    EXPECT_EQ(lcg_power(std::uint64_t{1} << 44U), 1U) << "the period is 2^44";
    EXPECT_EQ(lcg_power(131'072), 62362532446209U) << "as NPB's documents name it";
}

TEST(Random, fills_an_array_with_the_numbers_in_order) {
    std::array<double, 100> numbers{};
    RandomStream(7).fill(numbers);
    RandomStream random(7);
    for (const double number : numbers) {
        EXPECT_EQ(number, random.next());
        EXPECT_GT(number, 0);
        EXPECT_LT(number, 1);
    }
}

}  // namespace
}  // namespace pinwise::npb
