// Sizes on the command line: read exactly, or refused.

#include "workloads/common/size_text.hpp"

#include <gmock/gmock.h>

namespace pinwise::workloads {
namespace {

TEST(SizeText, a_number_alone_is_a_count_of_elements) {
    const auto size = parse_size("1000003");
    ASSERT_TRUE(size);
    EXPECT_EQ(size->value, 1000003U);
    EXPECT_FALSE(size->in_bytes);
}

TEST(SizeText, units_give_bytes_in_powers_of_1000_or_1024_as_written) {
    const std::vector<std::pair<std::string, std::uint64_t>> cases{
        {"256MiB", 268435456}, {"256 MiB", 268435456}, {"1kB", 1000},          {"1KiB", 1024}, {"1.5GiB", 1610612736},
        {"2gb", 2000000000},   {"3T", 3298534883328},  {"1TB", 1000000000000}, {"64b", 64},    {"0.5k", 512}};
    for (const auto& [text, bytes] : cases) {
        const auto size = parse_size(text);
        ASSERT_TRUE(size) << text;
        EXPECT_EQ(size->value, bytes) << text;
        EXPECT_TRUE(size->in_bytes) << text;
    }
}

TEST(SizeText, anything_else_is_the_users_mistake_and_is_quoted) {
    for (const std::string text : {"", " ", "MiB", "12Q", "-1", "0", "0MiB", "1.5", "1e9", "nan", "inf", "0x10",
                                   "1,5GiB", "1e15TB", "99999999999999999999", "9999999999GiB", "5MiBs", "5 5"}) {
        const auto size = parse_size(text);
        ASSERT_FALSE(size) << text;
        EXPECT_EQ(size.error().status, ExitStatus::users_mistake);
        EXPECT_THAT(size.error().message, testing::HasSubstr("'" + text + "'"));
    }
}

TEST(SizeText, bytes_are_shown_in_the_largest_unit_that_leaves_at_least_one) {
    EXPECT_EQ(bytes_text(512), "512 B");
    EXPECT_EQ(bytes_text(134217728), "128 MiB");
    EXPECT_EQ(bytes_text(1610612736), "1.5 GiB");
    EXPECT_EQ(bytes_text(std::uint64_t{3} << 40U), "3 TiB");
}

}  // namespace
}  // namespace pinwise::workloads
