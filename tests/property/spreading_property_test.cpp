/// What the spreading policies promise on any machine: with enough allowed CPUs no two threads share one.

#include <array>
#include <random>

#include <gtest/gtest.h>

#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/cpu_list.hpp"
#include "tests/property/corpus.hpp"

namespace pinwise {
namespace {

using Random = std::mt19937;

constexpr std::array spreading_policies{"llc", "node", "close", "spread"};

int below(Random& random, int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
}

CpuSet random_mask(Random& random, const CpuSet& of) {
    const int percent = 1 + below(random, 100);
    CpuSet mask;
    for (const int cpu : of.to_vector()) {
        if (below(random, 100) < percent) mask.set(cpu);
    }
    if (mask.empty()) mask.set(of.first());
    return mask;
}

int random_member(Random& random, const CpuSet& set) {
    const std::vector<int> cpus = set.to_vector();
    return cpus[static_cast<std::size_t>(below(random, static_cast<int>(cpus.size())))];
}

/// A plan of as many threads as there are allowed CPUs. Its prefixes are the plans of fewer threads (checked below), so
/// this checks every number of threads.
void expect_each_cpu_once(const DomainTree& tree, const CpuSet& allowed, int waker, const std::string& where) {
    for (const auto* name : spreading_policies) {
        const PlacementRequest request{allowed.count(), allowed, waker, -1, LoadModel::fresh};
        const Plan plan = make_plan(tree, *make_policy(name).value(), request, Reasons::drop).value();
        CpuSet used;
        for (const Placement& placement : plan.threads) {
            EXPECT_FALSE(used.test(placement.cpu)) << where << " " << name << " thread " << placement.thread;
            used.set(placement.cpu);
        }
        EXPECT_EQ(used, allowed) << where << " " << name << " mask " << format_cpu_list(allowed);
    }
}

TEST(SpreadingPolicies, NeverStackThreadsWhileCpusAreFreeOnAnyMachineWithAnyMask) {
    Random random(11);
    for (const auto& [name, machine] : test::every_machine()) {
        const DomainTree tree = DomainTree::build(machine);
        expect_each_cpu_once(tree, machine.allowed, machine.allowed.first(), name);
        for (int round = 0; round < 4; ++round) {
            const CpuSet mask = random_mask(random, machine.allowed);
            expect_each_cpu_once(tree, mask, random_member(random, mask), name);
        }
    }
}

/// Threads come and go: a free CPU is found as long as there is one, and stacks stay even.
TEST(SpreadingPolicies, FindEveryFreeCpuWhileThreadsComeAndGo) {
    Random random(12);
    for (const auto& [name, machine] : test::every_machine()) {
        if (machine.allowed.count() > 300) continue;
        const DomainTree tree = DomainTree::build(machine);
        const CpuSet mask = random_mask(random, machine.allowed);
        for (const auto* policy_name : spreading_policies) {
            const auto policy = make_policy(policy_name).value();
            LoadView load(tree);
            std::vector<int> placed;
            for (int step = 0; step < 3 * mask.count(); ++step) {
                if (!placed.empty() && below(random, 3) == 0) {
                    const auto victim = placed.begin() + below(random, static_cast<int>(placed.size()));
                    load.remove(*victim);
                    placed.erase(victim);
                }
                const int cpu =
                    policy->select({tree, load, mask, random_member(random, machine.online), step, -1}, nullptr);
                ASSERT_TRUE(mask.test(cpu)) << name << " " << policy_name;
                ASSERT_TRUE(load.idle(cpu) || load.within(mask).idle().empty()) << name << " " << policy_name;
                load.add(cpu);
                placed.push_back(cpu);
            }
        }
    }
}

TEST(SpreadingPolicies, PlansArePrefixesOfLongerPlans) {
    Random random(13);
    for (const auto& [name, machine] : test::every_machine()) {
        if (machine.allowed.count() > 300) continue;
        const DomainTree tree = DomainTree::build(machine);
        const CpuSet mask = random_mask(random, machine.allowed);
        for (const auto* policy_name : {"llc", "node", "close", "spread", "random:5"}) {
            const auto policy = make_policy(policy_name).value();
            const auto plan = [&](int threads) {
                std::vector<int> cpus;
                const PlacementRequest request{threads, mask, mask.first(), -1, LoadModel::fresh};
                const Plan made = make_plan(tree, *policy, request, Reasons::drop).value();
                for (const Placement& placement : made.threads)
                    cpus.push_back(placement.cpu);
                return cpus;
            };
            const std::vector<int> longer = plan(2 * mask.count());
            const std::vector<int> shorter = plan(1 + below(random, 2 * mask.count()));
            EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin())) << name << " " << policy_name;
        }
    }
}

/// Oversubscribed from empty: no CPU has two threads more than another.
TEST(SpreadingPolicies, StackEvenlyWhenThereAreMoreThreadsThanCpus) {
    Random random(14);
    for (const auto& [name, machine] : test::every_machine()) {
        if (machine.allowed.count() > 300) continue;
        const DomainTree tree = DomainTree::build(machine);
        const CpuSet mask = random_mask(random, machine.allowed);
        for (const auto* policy_name : spreading_policies) {
            const PlacementRequest request{5 * mask.count() / 2, mask, mask.first(), -1, LoadModel::fresh};
            const Plan plan = make_plan(tree, *make_policy(policy_name).value(), request, Reasons::drop).value();
            LoadView load(tree);
            for (const Placement& placement : plan.threads)
                load.add(placement.cpu);
            for (const int cpu : mask.to_vector()) {
                EXPECT_GE(load.nr_running(cpu), 2) << name << " " << policy_name;
                EXPECT_LE(load.nr_running(cpu), 3) << name << " " << policy_name;
            }
        }
    }
}

TEST(SpreadingPolicies, LlcUsesEveryAllowedLlcBeforeOneTwice) {
    Random random(15);
    for (const auto& [name, machine] : test::every_machine()) {
        const DomainTree tree = DomainTree::build(machine);
        const CpuSet mask = random_mask(random, machine.allowed);
        CpuSet llcs;
        for (const int cpu : mask.to_vector())
            llcs.set(tree.llc_of(cpu));
        const PlacementRequest request{llcs.count(), mask, mask.first(), -1, LoadModel::fresh};
        const Plan plan = make_plan(tree, *make_policy("llc").value(), request, Reasons::drop).value();
        CpuSet used;
        for (const Placement& placement : plan.threads)
            used.set(placement.llc);
        EXPECT_EQ(used, llcs) << name;
    }
}

}  // namespace
}  // namespace pinwise
