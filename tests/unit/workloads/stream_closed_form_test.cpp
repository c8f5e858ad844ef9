// The check finds what is wrong: one element, a NaN, a tail, an iteration left out.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "workloads/stream/closed_form.hpp"

namespace pinwise::stream {
namespace {

TEST(ClosedForm, of_one_iteration_is_what_the_definition_says) {
    const double q = scale_factor;
    const ArrayValues values = closed_form(1);
    EXPECT_DOUBLE_EQ(values.b, q * 1.0);
    EXPECT_DOUBLE_EQ(values.c, 1.0 + q);
    EXPECT_DOUBLE_EQ(values.a, q + q * (1.0 + q));
}

TEST(ClosedForm, grows_by_2q_plus_q_squared_an_iteration_and_stays_finite_for_ten_thousand) {
    const double growth = 2 * scale_factor + scale_factor * scale_factor;
    EXPECT_NEAR(closed_form(10).a, std::pow(growth, 10), 1e-13);
    const ArrayValues many = closed_form(10001);
    EXPECT_TRUE(std::isnormal(many.a) && std::isnormal(many.b) && std::isnormal(many.c));
}

TEST(ClosedForm, no_two_iterations_leave_values_that_the_check_takes_for_each_other) {
    for (std::uint64_t iterations = 1; iterations < 1000; ++iterations)
        EXPECT_FALSE(check_elements(std::vector{closed_form(iterations).a}, closed_form(iterations + 1).a, 0).passed());
}

TEST(CheckElements, right_elements_pass_with_no_error) {
    const auto result = check_elements(std::vector<double>(100, 1.25), 1.25, 0);
    EXPECT_TRUE(result.passed());
    EXPECT_EQ(result.max_error, 0.0);
}

TEST(CheckElements, an_error_at_the_tolerance_passes_and_one_beyond_fails) {
    EXPECT_TRUE(check_elements(std::vector{1.0 + 0.9e-13}, 1.0, 0).passed());
    EXPECT_FALSE(check_elements(std::vector{1.0 + 1.2e-13}, 1.0, 0).passed());
    EXPECT_FALSE(check_elements(std::vector{1.0 - 1.2e-13}, 1.0, 0).passed());
}

TEST(CheckElements, one_wrong_element_anywhere_fails_and_is_named) {
    for (const std::size_t where : {std::size_t{0}, std::size_t{50}, std::size_t{99}}) {
        std::vector<double> elements(100, 1.25);
        elements[where] = 1.0;
        const auto result = check_elements(elements, 1.25, 1000);
        EXPECT_EQ(result.wrong_elements, 1U);
        EXPECT_EQ(result.first_wrong, 1000 + where);
        EXPECT_EQ(failure_text("b", result, 1.25),
                  "b[" + std::to_string(1000 + where) + "] is 1 instead of 1.25 (1 element of b wrong)");
    }
}

TEST(CheckElements, an_untouched_tail_fails) {
    std::vector<double> elements(1000, closed_form(11).a);
    std::fill(elements.end() - 3, elements.end(), initial_values.a);
    const auto result = check_elements(elements, closed_form(11).a, 0);
    EXPECT_EQ(result.wrong_elements, 3U);
    EXPECT_EQ(result.first_wrong, 997U);
}

TEST(CheckElements, what_is_not_finite_fails_even_when_right_elements_follow) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
        const auto result = check_elements(std::vector{1.25, bad, 1.25}, 1.25, 0);
        EXPECT_FALSE(result.passed());
        EXPECT_EQ(result.wrong_elements, 1U);
        EXPECT_TRUE(std::isinf(result.max_error));
    }
}

TEST(CheckElements, an_expectation_that_overflowed_fails_too) {
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(check_elements(std::vector{infinite}, infinite, 0).passed());
}

TEST(CheckElements, results_of_parts_merge_to_the_result_of_the_whole_in_any_order) {
    std::vector<double> elements(100, 1.25);
    elements[70] = 2.5;
    elements[30] = 1.5;
    const std::span<const double> all(elements);
    const auto whole = check_elements(all, 1.25, 0);
    const auto low = check_elements(all.first(50), 1.25, 0);
    const auto high = check_elements(all.last(50), 1.25, 50);
    for (const auto& both : {merged(low, high), merged(high, low), merged(merged({}, high), low)}) {
        EXPECT_EQ(both.wrong_elements, whole.wrong_elements);
        EXPECT_EQ(both.first_wrong, 30U);
        EXPECT_EQ(both.first_wrong_value, 1.5);
        EXPECT_EQ(both.max_error, whole.max_error);
    }
}

}  // namespace
}  // namespace pinwise::stream
