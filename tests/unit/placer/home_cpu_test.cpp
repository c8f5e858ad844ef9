#include "placer/policy/home_cpu.hpp"

#include <map>

#include <gmock/gmock.h>

#include "placer/policy/policies.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

const Machine two_nodes = test::load("synthetic:pack:2 [numa] l3:1 core:4 pu:1");

class HomeCpu : public testing::Test {
protected:
    [[nodiscard]] int home_of(int chosen, const CpuSet& allowed = CpuSet::range(0, 7)) const {
        return home_cpu({.tree = tree_, .load = load_, .allowed = allowed}, CpuSet::range(0, 7), chosen, 125);
    }

    void run(std::initializer_list<int> cpus) {
        for (const int cpu : cpus)
            load_.add(cpu);
    }

    DomainTree tree_ = DomainTree::build(two_nodes);
    LoadView load_{tree_};
};

TEST_F(HomeCpu, IsThePolicysWhileEveryThreadOfTheNodeHasACpu) {
    run({0, 1, 2});
    EXPECT_EQ(home_of(3), 3) << "node 1 is idle, but nobody would leave";
}

TEST_F(HomeCpu, IsOnTheNodeThatWouldTakeTheThreadAnyway) {
    run({0, 1, 2, 3, 4});
    EXPECT_EQ(home_of(0), 5) << "the idlest of node 1";
    run({5, 6, 7});
    EXPECT_EQ(home_of(0), 0) << "five and four: no thread would be driven away";
    run({0, 1});
    EXPECT_EQ(home_of(0), 4) << "seven and four";
}

TEST_F(HomeCpu, NeverLeavesTheAllowedCpus) {
    run({0, 1, 2, 3, 0, 1});
    EXPECT_EQ(home_of(0, CpuSet{0, 1}), 0);
    EXPECT_EQ(home_of(0, CpuSet{0, 1, 7}), 7);
    EXPECT_EQ(home_of(-1), -1) << "not placed";
}

TEST_F(HomeCpu, OfEveryPolicysThreadsKeepsNodesWithinTheBalancersTolerance) {
    for (const std::string policy_name : {"idlest", "llc", "node", "close", "spread", "random:3"}) {
        const auto policy = make_policy(policy_name);
        ASSERT_TRUE(policy) << policy_name;
        LoadView load(tree_);
        const CpuSet all = CpuSet::range(0, 7);
        std::map<int, int> of_node;
        for (int thread = 0; thread < 64; ++thread) {
            const PlacementQuery query{.tree = tree_, .load = load, .allowed = all, .waker = 0, .thread_index = thread};
            const int cpu = home_cpu(query, all, (*policy)->select(query, nullptr), 125);
            load.add(cpu);
            ++of_node[tree_.node_of(cpu)];
            const auto [fewer, more] = std::minmax(of_node[0], of_node[1]);
            EXPECT_TRUE(more <= 4 || 100 * more <= 125 * fewer || more - fewer <= 1)
                << policy_name << ", thread " << thread << ": " << of_node[0] << " and " << of_node[1];
        }
    }
}

}  // namespace
}  // namespace pinwise
