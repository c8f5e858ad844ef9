#include "placer/policy/load_view.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/machines.hpp"

namespace pinwise {
namespace {

class LoadViewModels : public testing::TestWithParam<LoadModel> {};

/// The sums kept incrementally equal the sums taken afresh over each group.
TEST_P(LoadViewModels, IncrementalSumsEqualFreshSums) {
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps4));
    LoadView view(tree, GetParam());
    std::mt19937 random(3);
    std::vector<int> placed;
    for (int step = 0; step < 2000; ++step) {
        if (!placed.empty() && random() % 3 == 0) {
            view.remove(placed.back());
            placed.pop_back();
        } else {
            placed.push_back(static_cast<int>(random() % 256));
            view.add(placed.back());
        }
        if (step % 200 != 0) continue;
        for (std::size_t group = 0; group < tree.groups().size(); ++group) {
            const GroupLoad& kept = view.group(static_cast<int>(group));
            const GroupLoad fresh = view.group_within(static_cast<int>(group), tree.cpus());
            EXPECT_EQ(kept.idle_cpus, fresh.idle_cpus);
            EXPECT_EQ(kept.running, fresh.running);
            EXPECT_EQ(kept.util, fresh.util);
            EXPECT_EQ(kept.runnable, fresh.runnable);
            EXPECT_EQ(kept.load, fresh.load);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Both, LoadViewModels, testing::Values(LoadModel::fresh, LoadModel::saturated));

TEST(LoadView, AFreshThreadTakesHalfOfWhatTheCpuHasLeft) {
    const DomainTree tree = DomainTree::build(test::load(test::two_small_nodes));
    LoadView view(tree);
    const int mc = tree.domain(tree.domains_of(0)[0]).span;
    view.add(0);
    EXPECT_EQ(view.group(mc).util, 512);
    view.add(0);
    EXPECT_EQ(view.group(mc).util, 768);
    EXPECT_EQ(view.group(mc).idle_cpus, 3);
    EXPECT_EQ(view.group(mc).running, 2);
    view.reset();
    EXPECT_EQ(view.group(mc).util, 0);
    EXPECT_EQ(view.group(mc).idle_cpus, 4);
    EXPECT_TRUE(view.idle(0));
}

TEST(LoadView, AllowedOnlySumsLeaveOutTheOtherCpus) {
    const DomainTree tree = DomainTree::build(test::load(test::two_small_nodes));
    LoadView view(tree);
    view.add(0);
    view.add(1);
    const int mc = tree.domain(tree.domains_of(0)[0]).span;
    const GroupLoad within = view.group_within(mc, CpuSet{1, 2, 7});
    EXPECT_EQ(within.idle_cpus, 1);
    EXPECT_EQ(within.running, 1);
}

}  // namespace
}  // namespace pinwise
