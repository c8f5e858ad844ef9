#include "placer/domain/domain_tree.hpp"

#include <gmock/gmock.h>

#include "tests/machines.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;

/// Domains of a CPU as "NAME weight", bottom up.
std::vector<std::string> chain(const DomainTree& tree, int cpu) {
    std::vector<std::string> names;
    for (const int index : tree.domains_of(cpu)) {
        const SchedDomain& domain = tree.domain(index);
        names.push_back(domain.name() + " " + std::to_string(tree.group(domain.span).weight));
    }
    return names;
}

const SchedDomain& top(const DomainTree& tree, int cpu, int below_top = 0) {
    const auto domains = tree.domains_of(cpu);
    return tree.domain(domains[domains.size() - 1 - static_cast<std::size_t>(below_top)]);
}

/// First CPU of each group of the k-th domain of a CPU.
std::vector<int> ring(const DomainTree& tree, int cpu, int level) {
    std::vector<int> firsts;
    for (const int group : tree.ring(cpu, level))
        firsts.push_back(tree.group(group).span.first());
    return firsts;
}

TEST(DomainTree, Zen3Nps1HasSmtMcPkgNuma) {
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps1));
    EXPECT_THAT(chain(tree, 25), ElementsAre("SMT 2", "MC 16", "PKG 128", "NUMA(20) 256"));
    EXPECT_EQ(top(tree, 25).imb_numa_nr.quarter, 8);
    EXPECT_EQ(top(tree, 25).imb_numa_nr.eighth, 8);
    EXPECT_FALSE(top(tree, 25).shares_llc);
    EXPECT_TRUE(top(tree, 25).is_numa);
}

TEST(DomainTree, Nps4OmitsPkgAndScalesTheSecondNumaLevel) {
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps4));
    EXPECT_THAT(chain(tree, 0), ElementsAre("SMT 2", "MC 16", "NODE 32", "NUMA(12) 128", "NUMA(20) 256"));
    EXPECT_EQ(top(tree, 0, 1).imb_numa_nr.quarter, 2);
    EXPECT_EQ(top(tree, 0).imb_numa_nr.quarter, 4);
}

TEST(DomainTree, OneLlcPerNodeDistinguishesTheTwoShifts) {
    const DomainTree skylake = DomainTree::build(test::load(test::skylake_block));
    EXPECT_THAT(chain(skylake, 0), ElementsAre("SMT 2", "MC 48", "NUMA(20) 96"));
    EXPECT_EQ(top(skylake, 0).imb_numa_nr.quarter, 12);
    EXPECT_EQ(top(skylake, 0).imb_numa_nr.eighth, 6);
    const DomainTree l3_as_numa = DomainTree::build(test::load(test::zen3_l3_as_numa));
    EXPECT_EQ(top(l3_as_numa, 0, 1).imb_numa_nr.quarter, 4);
    EXPECT_EQ(top(l3_as_numa, 0, 1).imb_numa_nr.eighth, 2);
}

TEST(DomainTree, AnLlcThatSpansNodesIsClippedToTheNode) {
    const DomainTree tree = DomainTree::build(test::load(test::sapphire_rapids_snc4));
    EXPECT_THAT(chain(tree, 0), ElementsAre("SMT 2", "MC 28", "NUMA(12) 112", "NUMA(20) 224"));
}

TEST(DomainTree, GroupsStartAtTheLocalOneAndGoRoundTheRing) {
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps1));
    EXPECT_THAT(ring(tree, 25, 2), ElementsAre(24, 32, 40, 48, 56, 0, 8, 16));
    EXPECT_THAT(ring(tree, 64, 3), ElementsAre(64, 0));
    EXPECT_THAT(ring(tree, 153, 0), ElementsAre(153, 25));
}

TEST(DomainTree, InterleavedNumbersOrderGroupsByTheNextCpu) {
    const DomainTree tree =
        DomainTree::build(test::load("synthetic:Package:3 [NUMANode] L3Cache:1 Core:2 PU:1(indexes=2*3:1*2)"));
    EXPECT_THAT(ring(tree, tree.group(tree.ring(4, 1).front()).span.first(), 1).size(), 3U);
    const auto order = ring(tree, 4, 1);
    EXPECT_EQ(order.front(), tree.group(tree.ring(4, 1).front()).span.first());
}

TEST(DomainTree, LevelsBeyondTheReclaimDistanceDoNotBalanceAtFork) {
    Machine machine = test::load(test::two_small_nodes);
    machine.distances = {{0, 1}, {10, 32, 32, 10}};
    EXPECT_FALSE(top(DomainTree::build(machine), 0).balances_fork);
    machine.reclaim_distance = 32;
    EXPECT_TRUE(top(DomainTree::build(machine), 0).balances_fork);
}

TEST(DomainTree, OverlappingNumaSpansOfARingMachine) {
    Machine machine = test::load("synthetic:Package:4 [NUMANode] L3Cache:1 Core:4 PU:1");
    machine.distances = {{0, 1, 2, 3}, {10, 16, 22, 16, 16, 10, 16, 22, 22, 16, 10, 16, 16, 22, 16, 10}};
    const DomainTree tree = DomainTree::build(machine);
    EXPECT_THAT(chain(tree, 0), ElementsAre("MC 4", "NUMA(16) 12", "NUMA(22) 16"));
    EXPECT_THAT(ring(tree, 0, 1), ElementsAre(0, 4, 12));
    // At the second level the first group is the local ring segment {3,0,1}; node 2 opens one that overlaps it.
    ASSERT_EQ(tree.ring(0, 2).size(), 2U);
    EXPECT_EQ(tree.group(tree.ring(0, 2)[0]).span, CpuSet::range(0, 7) | CpuSet::range(12, 15));
    EXPECT_EQ(tree.group(tree.ring(0, 2)[1]).span, CpuSet::range(4, 15));
}

TEST(DomainTree, CpusInNoNodeAreBalancedAsANodeOfTheirOwn) {
    Machine machine = test::load(test::two_small_nodes);
    for (Pu& pu : machine.pus) {
        if (pu.os_index >= 4) pu.node.reset();
    }
    machine.nodes.pop_back();
    const DomainTree tree = DomainTree::build(machine);
    EXPECT_EQ(tree.node_of(5), -1);
    EXPECT_THAT(chain(tree, 5), ElementsAre("MC 4", "NUMA(20) 8"));
}

TEST(DomainTree, AUniprocessorHasNoDomains) {
    const DomainTree tree = DomainTree::build(test::load("synthetic:Core:1 PU:1"));
    EXPECT_TRUE(tree.domains_of(0).empty());
    EXPECT_TRUE(tree.domains_of(7).empty());
}

TEST(DomainTree, EveryRingCoversItsDomainAndStartsWithTheOwnGroup) {
    for (const auto* source :
         {test::zen3_nps1, test::zen3_nps4, test::skylake_evenodd, test::sapphire_rapids_snc4, test::xeon_max_flat}) {
        const DomainTree tree = DomainTree::build(test::load(source));
        for (const int cpu : tree.cpus().to_vector()) {
            const auto domains = tree.domains_of(cpu);
            for (std::size_t level = 0; level < domains.size(); ++level) {
                CpuSet covered;
                for (const int group : tree.ring(cpu, static_cast<int>(level)))
                    covered |= tree.group(group).span;
                EXPECT_EQ(covered, tree.group(tree.domain(domains[level]).span).span);
                EXPECT_TRUE(tree.group(tree.ring(cpu, static_cast<int>(level)).front()).span.test(cpu));
            }
        }
    }
}

}  // namespace
}  // namespace pinwise
