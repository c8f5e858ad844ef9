#include "placer/topology/cpu_list.hpp"

#include <random>

#include <gmock/gmock.h>

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int> parsed(std::string_view text) {
    const auto cpus = parse_cpu_list(text);
    EXPECT_TRUE(cpus) << (cpus ? "" : cpus.error().message);
    return cpus.value_or(std::vector<int>{});
}

TEST(CpuList, ReadsSinglesRangesStridesAndGroups) {
    EXPECT_THAT(parsed("0"), ElementsAre(0));
    EXPECT_THAT(parsed("0,4-7"), ElementsAre(0, 4, 5, 6, 7));
    EXPECT_THAT(parsed("0-15:2"), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
    EXPECT_THAT(parsed("0-1023:2/256"), ElementsAre(0, 1, 256, 257, 512, 513, 768, 769));
    EXPECT_THAT(parsed("5-5"), ElementsAre(5));
}

TEST(CpuList, KeepsTheOrderForAssignmentsAndMergesForSets) {
    EXPECT_THAT(parsed("3,1,2"), ElementsAre(3, 1, 2));
    EXPECT_THAT(CpuSet::of(parsed("3,1,2")).to_vector(), ElementsAre(1, 2, 3));
    EXPECT_THAT(CpuSet::of(parsed("0-3,2-5")).to_vector(), ElementsAre(0, 1, 2, 3, 4, 5));
}

struct BadList {
    const char* text;
    const char* position;
};

class BadCpuList : public testing::TestWithParam<BadList> {};

TEST_P(BadCpuList, IsAUsageErrorThatNamesThePosition) {
    const auto cpus = parse_cpu_list(GetParam().text);
    ASSERT_FALSE(cpus) << GetParam().text;
    EXPECT_EQ(cpus.error().kind, ErrorKind::usage);
    EXPECT_THAT(cpus.error().message, HasSubstr(GetParam().position));
}

INSTANTIATE_TEST_SUITE_P(
    Field, BadCpuList,
    testing::Values(BadList{"", "empty"}, BadList{"1-0", "position 1"}, BadList{"0-", "position 3"},
                    BadList{",0", "position 1"}, BadList{"0,,1", "position 3"}, BadList{"0,", "position 3"},
                    BadList{"0-1:0", "position 5"}, BadList{"99999999999", "position 1"},
                    BadList{"65536", "position 1"}, BadList{"-1", "position 1"}, BadList{"0x1", "position 2"},
                    BadList{"all", "position 1"}, BadList{"0, 1", "position 3"}, BadList{" 0", "position 1"},
                    BadList{"0-3:4/2", "position 5"}, BadList{"0-3:1/0", "position 5"}, BadList{"0-3:", "position 5"},
                    BadList{"0-3:1/", "position 7"}, BadList{"2-4-6", "position 4"}, BadList{"+1", "position 1"}));

TEST(CpuList, FormatsTheShortestList) {
    EXPECT_EQ(format_cpu_list({}), "");
    EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 8}), "0-3,8");
    EXPECT_EQ(format_cpu_list({63, 64, 65}), "63-65");
}

TEST(CpuList, FormattingAndParsingAreInverse) {
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        CpuSet set;
        for (int draw = 0; draw < 50; ++draw)
            set.set(static_cast<int>(random() % 200));
        EXPECT_EQ(CpuSet::of(parsed(format_cpu_list(set))), set);
    }
}

}  // namespace
}  // namespace pinwise
