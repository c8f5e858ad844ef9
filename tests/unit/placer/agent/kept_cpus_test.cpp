#include "placer/agent/kept_cpus.hpp"

#include <gtest/gtest.h>

#include "tests/machines.hpp"

namespace pinwise {
namespace {

CpuSet kept(const char* machine, Bind bind, int cpu, const CpuSet& unbound) {
    const DomainTree tree = DomainTree::build(test::load(machine));
    return KeptCpus(tree, bind).from(cpu, CpuMask::of(unbound)).to_cpu_set();
}

TEST(KeptCpus, AreTheCpuItsCacheItsNodeOrEverything) {
    const CpuSet all = CpuSet::range(0, 255);
    EXPECT_EQ(kept(test::zen3_nps1, Bind::cpu, 20, all), CpuSet{20});
    EXPECT_EQ(kept(test::zen3_nps1, Bind::llc, 20, all), CpuSet::range(16, 23) | CpuSet::range(144, 151));
    EXPECT_EQ(kept(test::zen3_nps1, Bind::node, 20, all), CpuSet::range(0, 63) | CpuSet::range(128, 191));
    EXPECT_EQ(kept(test::zen3_nps1, Bind::initial, 20, all), all);
}

TEST(KeptCpus, StayInsideTheMask) {
    const CpuSet mask{16, 17, 32, 64};
    EXPECT_EQ(kept(test::zen3_nps1, Bind::llc, 16, mask), (CpuSet{16, 17}));
    EXPECT_EQ(kept(test::zen3_nps1, Bind::node, 16, mask), (CpuSet{16, 17, 32}));
    EXPECT_EQ(kept(test::zen3_nps1, Bind::node, 64, mask), CpuSet{64});
}

TEST(KeptCpus, FollowANodeThatIsSmallerThanTheCacheAndCoresWithoutOne) {
    EXPECT_EQ(kept(test::sapphire_rapids_snc4, Bind::node, 3, CpuSet::range(0, 223)),
              CpuSet::range(0, 13) | CpuSet::range(112, 125));
    EXPECT_EQ(kept(test::altra_no_l3, Bind::llc, 7, CpuSet::range(0, 79)), CpuSet{7});
}

TEST(KeptCpus, FallBackToTheCacheWhereACpuBelongsToNoNode) {
    Machine machine = test::load(test::two_small_nodes);
    for (Pu& pu : machine.pus)
        pu.node.reset();
    machine.nodes.clear();
    const DomainTree tree = DomainTree::build(machine);
    EXPECT_EQ(KeptCpus(tree, Bind::node).from(5, CpuMask::of(CpuSet::range(0, 7))).to_cpu_set(), CpuSet::range(4, 7));
}

}  // namespace
}  // namespace pinwise
