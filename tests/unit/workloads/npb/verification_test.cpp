// What passes and what does not, and what a failure says.

#include "workloads/npb/common/verification.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "workloads/npb/common/memory_check.hpp"
#include "workloads/npb/common/problem_class.hpp"

namespace pinwise::npb {
namespace {

using testing::HasSubstr;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Verification, compares_relatively_up_to_the_tolerance) {
    EXPECT_TRUE(relative_check("x", 100.0000001, 100, 1e-8).passed());
    EXPECT_FALSE(relative_check("x", 100.00001, 100, 1e-8).passed());
    EXPECT_TRUE(relative_check("x", -100.0000001, -100, 1e-8).passed()) << "the reference's sign does not matter";
    EXPECT_FALSE(relative_check("x", 100, -100, 1e-8).passed());
}

TEST(Verification, compares_absolutely_and_exactly) {
    EXPECT_TRUE(absolute_check("x", 1e-9, 0, 1e-8).passed());
    EXPECT_FALSE(absolute_check("x", 1e-7, 0, 1e-8).passed());
    EXPECT_TRUE(exact_check("n", 7, 7).passed());
    EXPECT_FALSE(exact_check("n", 7, 8).passed());
    EXPECT_FALSE(exact_check("n", (std::uint64_t{1} << 60U) + 1, std::uint64_t{1} << 60U).passed());
}

TEST(Verification, never_passes_what_is_no_number) {
    for (const double value : {nan_value, infinity, -infinity}) {
        EXPECT_FALSE(relative_check("x", value, 1, 1e-8).passed()) << value;
        EXPECT_FALSE(absolute_check("x", value, 1, 1e-8).passed()) << value;
    }
    EXPECT_FALSE(relative_check("x", 0, 0, 1e-8).passed()) << "0/0";
    const auto verification =
        verification_of(std::array{relative_check("x", nan_value, 1, 1e-8), relative_check("y", 1, 1, 1e-8)});
    EXPECT_FALSE(verification.passed);
    EXPECT_TRUE(std::isnan(verification.max_error)) << "a later small error must not hide it";
}

TEST(Verification, passes_when_all_checks_do) {
    const auto verification =
        verification_of(std::array{relative_check("x", 1 + 1e-10, 1, 1e-8), exact_check("n", 3, 3)});
    EXPECT_TRUE(verification.passed);
    EXPECT_NEAR(verification.max_error, 1e-10, 1e-15);
    EXPECT_EQ(verification.tolerance, 1e-8);
    EXPECT_EQ(verification.message, "");
}

TEST(Verification, names_the_first_failure_and_counts_the_others) {
    const auto verification = verification_of(std::array{exact_check("a", 1, 1), relative_check("zeta", 2.5, 2, 1e-10),
                                                         exact_check("b", 1, 2), exact_check("c", 1, 2)});
    EXPECT_FALSE(verification.passed);
    EXPECT_THAT(verification.message, HasSubstr("zeta is 2.5, the official value is 2, error 0.25"));
    EXPECT_THAT(verification.message, HasSubstr("2 more of 4 differ"));
}

TEST(Verification, of_nothing_fails) {
    const auto verification = verification_of({});
    EXPECT_FALSE(verification.passed);
    EXPECT_THAT(verification.message, HasSubstr("nothing was verified"));
}

TEST(MemoryCheck, gives_both_figures_where_memory_is_short_and_only_there) {
    EXPECT_TRUE(check_memory(ProblemClass::c, 1000, {1000, "MemAvailable"}));
    const auto refused =
        check_memory(ProblemClass::d, std::uint64_t{17} << 30U, {std::uint64_t{2} << 30U, "MemAvailable"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, workloads::ExitStatus::users_mistake);
    for (const char* words : {"--class D", "17 GiB", "2 GiB", "MemAvailable", "smaller class"})
        EXPECT_THAT(refused.error().message, HasSubstr(words));
}

TEST(ProblemClass, reads_what_it_writes_in_either_case) {
    for (const ProblemClass each : all_classes)
        EXPECT_EQ(parse_class(to_string(each)), each);
    EXPECT_EQ(parse_class("w"), ProblemClass::w);
    for (const char* text : {"", "X", "AA", " A"})
        EXPECT_EQ(parse_class(text), std::nullopt) << text;
}

}  // namespace
}  // namespace pinwise::npb
