#include "placer/policy/load_view.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/machines.hpp"

namespace pinwise {
namespace {

class LoadViewModels : public testing::TestWithParam<LoadModel> {};

void expect_equal(const GroupLoad& kept, const GroupLoad& fresh) {
    EXPECT_EQ(kept.idle_cpus, fresh.idle_cpus);
    EXPECT_EQ(kept.running, fresh.running);
    EXPECT_EQ(kept.util, fresh.util);
    EXPECT_EQ(kept.runnable, fresh.runnable);
    EXPECT_EQ(kept.load, fresh.load);
}

/// The sums kept while threads come and go equal those of a view that is filled before it is asked.
TEST_P(LoadViewModels, IncrementalSumsEqualFreshSums) {
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps4));
    const CpuSet mask = CpuSet::range(3, 40) | CpuSet::range(130, 145) | CpuSet{200, 255};
    LoadView view(tree, GetParam());
    view.within(mask);
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
        LoadView fresh(tree, GetParam());
        for (const int cpu : placed)
            fresh.add(cpu);
        const MaskedLoad& kept_within = view.within(mask);
        const MaskedLoad& fresh_within = fresh.within(mask);
        EXPECT_EQ(kept_within.idle(), fresh_within.idle());
        ASSERT_EQ(kept_within.cores().size(), fresh_within.cores().size());
        for (std::size_t core = 0; core < kept_within.cores().size(); ++core) {
            EXPECT_EQ(kept_within.cores()[core].running, fresh_within.cores()[core].running);
            EXPECT_EQ(kept_within.cores()[core].idle, fresh_within.cores()[core].idle);
        }
        for (int group = 0; group < static_cast<int>(tree.groups().size()); ++group) {
            expect_equal(view.group(group), fresh.group(group));
            expect_equal(kept_within.group(group).load, fresh_within.group(group).load);
            EXPECT_EQ(kept_within.group(group).allowed_cpus, tree.group(group).span.count_common(mask));
            EXPECT_EQ(kept_within.group(group).allowed_cores, fresh_within.group(group).allowed_cores);
            EXPECT_EQ(kept_within.group(group).idle_cores, fresh_within.group(group).idle_cores);
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
    const GroupLoad within = view.within(CpuSet{1, 2, 7}).group(mc).load;
    EXPECT_EQ(within.idle_cpus, 1);
    EXPECT_EQ(within.running, 1);
    EXPECT_EQ(view.within(CpuSet{0, 1}).group(mc).load.running, 2);
    EXPECT_EQ(view.within(CpuSet{1, 2, 7}).idle(), (CpuSet{2, 7}));
}

TEST(LoadView, ACoreWithABusySiblingOutsideOfTheMaskIsNotIdle) {
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps1));
    LoadView view(tree);
    const CpuSet mask{0, 1};
    const int machine = tree.hierarchy().machine_group;
    EXPECT_EQ(view.within(mask).group(machine).idle_cores, 2);
    view.add(128);
    EXPECT_EQ(view.within(mask).group(machine).idle_cores, 1);
    EXPECT_EQ(view.within(mask).group(machine).load.idle_cpus, 2);
    view.remove(128);
    EXPECT_EQ(view.within(mask).group(machine).idle_cores, 2);
}

}  // namespace
}  // namespace pinwise
