/// llc, node, close, spread and random: their order, their ties, and how they follow the load they are shown.

#include <algorithm>
#include <map>

#include <gmock/gmock.h>

#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/cpu_list.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

using Cpus = std::vector<int>;
using testing::Each;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::string data(const std::string& name) {
    return std::string(PINWISE_SOURCE_DIR) + "/tests/data/" + name;
}

class Spreading : public testing::Test {
protected:
    explicit Spreading(const std::string& source = test::zen3_nps1) : machine_(test::load(source)) {}

    [[nodiscard]] Cpus place(const std::string& policy, int threads, const CpuSet& allowed, int waker) const {
        Cpus cpus;
        const PlacementRequest request{threads, allowed, waker, -1, LoadModel::fresh};
        const Plan plan = make_plan(tree_, *make_policy(policy).value(), request, Reasons::drop).value();
        for (const Placement& placement : plan.threads)
            cpus.push_back(placement.cpu);
        return cpus;
    }
    [[nodiscard]] Cpus place(const std::string& policy, int threads) const {
        return place(policy, threads, machine_.allowed, machine_.allowed.first());
    }
    [[nodiscard]] int next(const std::string& policy, const LoadView& load, int waker) const {
        return make_policy(policy).value()->select({tree_, load, machine_.allowed, waker, 1, -1}, nullptr);
    }

    Machine machine_;
    DomainTree tree_ = DomainTree::build(machine_);
};

using OnZen3 = Spreading;

class OnHybrid : public Spreading {
protected:
    OnHybrid() : Spreading(data("hybrid.xml")) {}
};

class OnGapsAndOrphans : public Spreading {
protected:
    OnGapsAndOrphans() : Spreading(data("gaps-and-orphans.xml")) {}
};

/// `hwloc-distrib --if synthetic -i STRING --single N` on the same machine: an outside oracle.
TEST_F(OnZen3, LlcTakesTheCpusThatHwlocDistribTakes) {
    EXPECT_THAT(place("llc", 2), UnorderedElementsAre(0, 64));
    EXPECT_THAT(place("llc", 4), UnorderedElementsAre(0, 32, 64, 96));
    EXPECT_THAT(place("llc", 8), UnorderedElementsAre(0, 16, 32, 48, 64, 80, 96, 112));
    EXPECT_THAT(place("llc", 16),
                UnorderedElementsAre(0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120));
}

TEST_F(OnZen3, LlcAlternatesNodesAndGoesFarthestFirstInside) {
    EXPECT_THAT(place("llc", 8), ElementsAre(0, 64, 32, 96, 16, 80, 48, 112));
}

TEST_F(OnZen3, LlcGivesASecondThreadToEveryLlcBeforeAThird) {
    const Cpus cpus = place("llc", 32);
    std::map<int, int> per_llc;
    for (const int cpu : cpus)
        ++per_llc[tree_.llc_of(cpu)];
    EXPECT_EQ(per_llc.size(), 16U);
    for (const auto& [llc, threads] : per_llc)
        EXPECT_EQ(threads, 2) << llc;
}

TEST_F(OnZen3, EveryPolicyTakesSmtSiblingsLast) {
    for (const auto* policy : {"llc", "node", "close", "spread"}) {
        const Cpus cpus = place(policy, 256);
        EXPECT_EQ(CpuSet::of(std::span(cpus).first(128)), CpuSet::range(0, 127)) << policy;
        EXPECT_EQ(CpuSet::of(cpus), CpuSet::range(0, 255)) << policy;
    }
}

TEST_F(OnZen3, LlcBalancesNodesByWhatIsAllowed) {
    // 2 LLCs of node 0, 6 of node 1: every LLC once, then threads in proportion to the allowed cores.
    const CpuSet allowed = CpuSet::of(parse_cpu_list("0-3,8-11,64-67,72-75,80-83,88-91,96-99,104-107").value());
    const Cpus cpus = place("llc", 24, allowed, 0);
    const auto per_node = [&](int threads) {
        return summarize(tree_, std::span(cpus).first(static_cast<std::size_t>(threads))).threads_per_node;
    };
    EXPECT_THAT(per_node(8), ElementsAre(2, 6));
    EXPECT_THAT(per_node(16), ElementsAre(4, 12));
    EXPECT_THAT(per_node(24), ElementsAre(6, 18));
}

TEST_F(OnZen3, LlcPrefersAnEmptyLlcOfABusierNode) {
    // One LLC of node 0 with 8 cores, eight LLCs of node 1 with one core each.
    const CpuSet allowed = CpuSet::of(parse_cpu_list("0-7,64,72,80,88,96,104,112,120").value());
    EXPECT_EQ(summarize(tree_, place("llc", 9, allowed, 0)).llcs_used, 9);
}

TEST_F(OnZen3, MoreThreadsThanAllowedCpusAreSharedOutEvenly) {
    const CpuSet allowed{0, 16, 32, 48, 64, 80, 96, 112};
    for (const auto* policy : {"llc", "node", "close", "spread"}) {
        const PlacementSummary summary = summarize(tree_, place(policy, 24, allowed, 32));
        EXPECT_EQ(summary.most_on_one_cpu, 3) << policy;
        EXPECT_EQ(summary.cpus_used, 8) << policy;
    }
}

TEST_F(OnZen3, NodeAlternatesNodesAndStaysCloseInside) {
    EXPECT_THAT(place("node", 6), ElementsAre(0, 64, 1, 65, 2, 66));
    EXPECT_THAT(place("node", 6, CpuSet{0, 1, 70, 71, 72, 73}, 70), ElementsAre(0, 70, 1, 71, 72, 73));
}

TEST_F(OnZen3, CloseTakesTheNextCoresAfterTheCreatorAndGoesRound) {
    EXPECT_THAT(place("close", 4, tree_.cpus(), 62), ElementsAre(62, 63, 64, 65));
    EXPECT_THAT(place("close", 4, tree_.cpus(), 126), ElementsAre(126, 127, 0, 1));
    EXPECT_THAT(place("close", 4, CpuSet{3, 9, 70, 131}, 70), ElementsAre(70, 3, 9, 131));
}

/// OpenMP's places for T threads from place 0 of P = 128 are 0, P/T, 2P/T, ...
TEST_F(OnZen3, SpreadTakesOpenMpsPlacesForPowersOfTwo) {
    for (const int threads : {2, 4, 8, 16, 32, 64, 128}) {
        Cpus places;
        for (int place = 0; place < 128; place += 128 / threads)
            places.push_back(place);
        EXPECT_EQ(CpuSet::of(place("spread", threads)), CpuSet::of(places)) << threads;
    }
}

TEST_F(OnZen3, SpreadGoesIntoTheMiddleOfTheLongestFreeStretchFirstAfterTheCreator) {
    EXPECT_THAT(place("spread", 5), ElementsAre(0, 64, 32, 96, 16));
    EXPECT_THAT(place("spread", 4, tree_.cpus(), 10), ElementsAre(10, 74, 42, 106));
    // The middle counts allowed cores: 0 10 20 30 40 is a ring of five places.
    EXPECT_THAT(place("spread", 5, CpuSet{0, 10, 20, 30, 40}, 0), ElementsAre(0, 20, 30, 10, 40));
}

TEST_F(OnZen3, ProcessesOfOneSessionSpreadLikeThreads) {
    LoadView load(tree_);
    for (const int cpu : place("llc", 8))
        load.add(cpu);  // another process with 8 threads
    std::map<int, int> per_llc;
    for (int thread = 0; thread < 8; ++thread) {
        const int cpu = next("llc", load, 0);
        load.add(cpu);
        ++per_llc[tree_.llc_of(cpu)];
    }
    EXPECT_EQ(per_llc.size(), 8U);
    for (const int cpu : place("llc", 8))
        EXPECT_EQ(per_llc.count(tree_.llc_of(cpu)), 0U) << cpu;
}

TEST_F(OnZen3, AnEndedThreadsPlaceIsTakenAgain) {
    LoadView load(tree_);
    for (const int cpu : place("llc", 16))
        load.add(cpu);
    load.remove(72);
    EXPECT_EQ(next("llc", load, 0), 72);
    load.add(72);
    load.remove(40);
    EXPECT_EQ(next("llc", load, 64), 40);
}

TEST_F(OnZen3, ACoreWhoseSiblingWorksForSomebodyElseComesLater) {
    LoadView load(tree_);
    load.add(128);
    EXPECT_EQ(next("close", load, 0), 1);
    EXPECT_EQ(next("node", load, 0), 64);  // node 0 has a thread already
    EXPECT_NE(next("llc", load, 0), 0);
}

TEST_F(OnZen3, AnotherNumaDistanceChangesNothingForPoliciesThatDoNotFollowTheKernel) {
    const Cpus before = place("llc", 40);
    machine_.distances = {{0, 1}, {10, 40, 40, 10}};
    tree_ = DomainTree::build(machine_);
    EXPECT_EQ(place("llc", 40), before);
}

TEST_F(OnHybrid, LlcTakesFastCoresThenSlowOnesThenSiblings) {
    EXPECT_THAT(place("llc", 8), ElementsAre(0, 2, 4, 5, 6, 7, 1, 3));
    EXPECT_THAT(place("llc", 3, machine_.allowed, 6), ElementsAre(0, 2, 4));
    EXPECT_THAT(place("node", 8), ElementsAre(0, 2, 4, 5, 6, 7, 1, 3));
}

/// Nodes 1 (CPUs 2-4 allowed, one LLC), 9 (LLCs {8,9} and {12}), 4 (memory only); CPUs 20,21 in no node.
TEST_F(OnGapsAndOrphans, UnevenLlcsAndCpusInNoNodeAreUsedInProportion) {
    EXPECT_THAT(place("llc", 8), ElementsAre(2, 8, 20, 12, 3, 21, 9, 4));
    EXPECT_THAT(place("node", 8), ElementsAre(2, 8, 20, 3, 9, 21, 4, 12));
    EXPECT_THAT(place("close", 8, machine_.allowed, 9), ElementsAre(9, 12, 20, 21, 2, 3, 4, 8));
}

TEST_F(OnZen3, RandomIsAFunctionOfSeedThreadAndMask) {
    EXPECT_EQ(place("random:1", 50), place("random:1", 50));
    EXPECT_NE(place("random:1", 50), place("random:2", 50));
    EXPECT_EQ(place("random", 50), place("random:0", 50));
    const CpuSet allowed{3, 70, 200};
    EXPECT_THAT(place("random:9", 100, allowed, 70), Each(testing::AnyOf(3, 70, 200)));
}

/// Chi-squared over 16 CPUs, 15 degrees of freedom: 37.7 is its 99.9 % point; the draws are fixed by their seeds.
TEST_F(OnZen3, RandomIsUniform) {
    const CpuSet allowed = CpuSet::range(60, 67) | CpuSet::range(190, 197);
    for (const auto* policy : {"random:1", "random:2", "random:3"}) {
        std::map<int, int> draws;
        constexpr int threads = 16000;
        for (const int cpu : place(policy, threads, allowed, 60))
            ++draws[cpu];
        double chi_squared = 0;
        for (const auto& [cpu, count] : draws)
            chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
        EXPECT_EQ(draws.size(), 16U);
        EXPECT_LT(chi_squared, 37.7) << policy;
    }
}

TEST_F(OnZen3, EveryPolicySaysWhy) {
    for (const auto* name : {"llc", "node", "close", "spread", "random", "explicit:5"}) {
        const auto plan =
            make_plan(tree_, *make_policy(name).value(), {3, tree_.cpus(), 5, -1, LoadModel::fresh}, Reasons::keep);
        ASSERT_TRUE(plan) << name;
        for (const Placement& placement : plan->threads)
            EXPECT_FALSE(placement.steps.empty()) << name;
    }
}

}  // namespace
}  // namespace pinwise
