#include "placer/domain/cpu_hierarchy.hpp"

#include <gmock/gmock.h>

#include "placer/domain/domain_tree.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;

TEST(FarthestFirst, HalvesAndHalvesAgain) {
    EXPECT_THAT(farthest_first_ranks(0), ElementsAre());
    EXPECT_THAT(farthest_first_ranks(1), ElementsAre(0));
    EXPECT_THAT(farthest_first_ranks(2), ElementsAre(0, 1));
    EXPECT_THAT(farthest_first_ranks(3), ElementsAre(0, 2, 1));
    EXPECT_THAT(farthest_first_ranks(8), ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
}

TEST(FarthestFirst, IsAPermutationForAnyNumber) {
    for (int count = 0; count < 200; ++count) {
        std::vector<int> ranks = farthest_first_ranks(count);
        std::sort(ranks.begin(), ranks.end());
        for (int rank = 0; rank < count; ++rank)
            ASSERT_EQ(ranks[static_cast<std::size_t>(rank)], rank);
    }
}

TEST(CpuHierarchy, NestsZen3) {
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps1));
    const CpuHierarchy& hierarchy = tree.hierarchy();
    ASSERT_EQ(hierarchy.nodes.size(), 2U);
    ASSERT_EQ(hierarchy.llcs.size(), 16U);
    ASSERT_EQ(hierarchy.cores.size(), 128U);
    EXPECT_FALSE(hierarchy.hybrid);
    EXPECT_EQ(tree.group(hierarchy.llcs[9].group).span.first(), 72);
    EXPECT_EQ(hierarchy.llcs[9].node, 1);
    EXPECT_EQ(hierarchy.core_of_cpu[200], 72);
    EXPECT_EQ(tree.group(hierarchy.machine_group).weight, 256);
}

TEST(CpuHierarchy, AnLlcThatSpansNodesIsAPlaceInEach) {
    const DomainTree tree = DomainTree::build(test::load(test::sapphire_rapids_snc4));
    const CpuHierarchy& hierarchy = tree.hierarchy();
    ASSERT_EQ(hierarchy.llcs.size(), 8U);
    EXPECT_EQ(hierarchy.llcs[0].whole_llc_group, hierarchy.llcs[3].whole_llc_group);
    EXPECT_NE(hierarchy.llcs[3].whole_llc_group, hierarchy.llcs[4].whole_llc_group);
    EXPECT_EQ(tree.group(hierarchy.llcs[0].group).weight, 28);
    EXPECT_EQ(tree.group(hierarchy.llcs[0].whole_llc_group).weight, 112);
}

TEST(CpuHierarchy, CpusInNoNodeComeLast) {
    const DomainTree tree =
        DomainTree::build(test::load(std::string(PINWISE_SOURCE_DIR) + "/tests/data/gaps-and-orphans.xml"));
    const CpuHierarchy& hierarchy = tree.hierarchy();
    ASSERT_EQ(hierarchy.nodes.size(), 3U);
    EXPECT_EQ(tree.group(hierarchy.nodes[2].group).span, (CpuSet{20, 21}));
    EXPECT_EQ(hierarchy.core_of_cpu[0], -1);
}

}  // namespace
}  // namespace pinwise
