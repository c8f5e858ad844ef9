#include "placer/topology/cpu_set.hpp"

#include <random>
#include <set>

#include <gmock/gmock.h>

namespace pinwise {
namespace {

using testing::ElementsAre;

TEST(CpuSet, AnEmptySetHasNoMembers) {
    const CpuSet set;
    EXPECT_TRUE(set.empty());
    EXPECT_EQ(set.count(), 0);
    EXPECT_EQ(set.first(), -1);
    EXPECT_EQ(set.last(), -1);
    EXPECT_EQ(set.next(5), -1);
    EXPECT_FALSE(set.test(0));
    EXPECT_FALSE(set.test(-1));
}

TEST(CpuSet, GrowsBeyond1024Cpus) {
    CpuSet set{1279};
    EXPECT_EQ(set.words().size(), 20U);
    EXPECT_EQ(set.first(), 1279);
    set.set(63);
    set.set(64);
    EXPECT_THAT(set.to_vector(), ElementsAre(63, 64, 1279));
}

TEST(CpuSet, TrailingEmptyWordsDoNotMatterForEquality) {
    CpuSet longer{3, 500};
    longer.clear(500);
    EXPECT_EQ(longer, CpuSet{3});
    EXPECT_EQ(CpuSet{3}, longer);
    EXPECT_FALSE(longer == CpuSet{4});
}

TEST(CpuSet, RangesIncludeBothEnds) {
    EXPECT_THAT(CpuSet::range(62, 65).to_vector(), ElementsAre(62, 63, 64, 65));
    EXPECT_TRUE(CpuSet::range(3, 2).empty());
}

/// The algebra against std::set on random sets of different sizes.
TEST(CpuSet, AgreesWithStdSetOnRandomSets) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        const int limit = 1 + static_cast<int>(random() % 300);
        CpuSet a;
        CpuSet b;
        std::set<int> expected_a;
        std::set<int> expected_b;
        for (int draw = 0; draw < 40; ++draw) {
            const int in_a = static_cast<int>(random() % static_cast<unsigned>(limit));
            const int in_b = static_cast<int>(random() % 130);
            a.set(in_a);
            expected_a.insert(in_a);
            b.set(in_b);
            expected_b.insert(in_b);
        }
        std::set<int> expected_union = expected_a;
        expected_union.insert(expected_b.begin(), expected_b.end());
        std::vector<int> expected_common;
        std::vector<int> expected_difference;
        for (const int cpu : expected_a)
            (expected_b.contains(cpu) ? expected_common : expected_difference).push_back(cpu);
        EXPECT_EQ((a | b).to_vector(), std::vector<int>(expected_union.begin(), expected_union.end()));
        EXPECT_EQ((a & b).to_vector(), expected_common);
        EXPECT_EQ((a - b).to_vector(), expected_difference);
        EXPECT_EQ(a.count_common(b), static_cast<int>(expected_common.size()));
        EXPECT_EQ(a.intersects(b), !expected_common.empty());
        EXPECT_EQ(a.is_subset_of(b), expected_difference.empty());
        EXPECT_EQ(a.last(), *expected_a.rbegin());
        EXPECT_EQ(CpuSet::from_words(a.words()), a);
        EXPECT_EQ(CpuSet::of(a.to_vector()), a);
    }
}

}  // namespace
}  // namespace pinwise
