/// Properties that hold for every rule on random machines, masks and wakers.

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "placer/policy/kernel_rule.hpp"
#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/cpu_list.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

using Random = std::mt19937;

int below(Random& random, int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
}

int member(Random& random, const CpuSet& set) {
    const std::vector<int> cpus = set.to_vector();
    return cpus[static_cast<std::size_t>(below(random, static_cast<int>(cpus.size())))];
}

CpuSet random_subset(Random& random, const CpuSet& of, int percent) {
    CpuSet subset;
    for (const int cpu : of.to_vector()) {
        if (below(random, 100) < percent) subset.set(cpu);
    }
    if (subset.empty()) subset.set(member(random, of));
    return subset;
}

/// A machine of 1 to 4 packages with nodes, LLCs, cores and SMT of random width, and CPU numbers dealt in a random
/// order.
Machine random_machine(Random& random) {
    const auto up_to = [&random](int most) { return 1 + below(random, most); };
    const int smt = up_to(2);
    Machine machine =
        test::load("synthetic:Package:" + std::to_string(up_to(4)) + " Group:" + std::to_string(up_to(2)) +
                   " [NUMANode] L3Cache:" + std::to_string(up_to(3)) + " Core:" + std::to_string(up_to(4)) +
                   " PU:" + std::to_string(smt));
    std::vector<int> numbers = machine.online.to_vector();
    std::shuffle(numbers.begin(), numbers.end(), random);
    const auto renumber = [&numbers](CpuSet& set) {
        CpuSet renamed;
        for (const int cpu : set.to_vector())
            renamed.set(numbers[static_cast<std::size_t>(cpu)]);
        set = renamed;
    };
    for (Pu& pu : machine.pus)
        pu.os_index = numbers[static_cast<std::size_t>(pu.os_index)];
    std::sort(machine.pus.begin(), machine.pus.end(), [](const Pu& a, const Pu& b) { return a.os_index < b.os_index; });
    for (Core& core : machine.cores)
        renumber(core.cpus);
    for (Llc& llc : machine.llcs)
        renumber(llc.cpus);
    for (Package& package : machine.packages)
        renumber(package.cpus);
    for (Node& node : machine.nodes)
        renumber(node.cpus);
    return machine;
}

std::vector<int> place(const DomainTree& tree, std::string_view rule, int threads, const CpuSet& allowed, int waker) {
    const auto policy = make_policy("idlest@" + std::string(rule)).value();
    std::vector<int> cpus;
    const Plan plan = make_plan(tree, *policy, {threads, allowed, waker, -1, LoadModel::fresh}, Reasons::drop).value();
    for (const Placement& placement : plan.threads)
        cpus.push_back(placement.cpu);
    return cpus;
}

bool any_cpu_twice(std::vector<int> cpus) {
    std::sort(cpus.begin(), cpus.end());
    return std::adjacent_find(cpus.begin(), cpus.end()) != cpus.end();
}

TEST(PlacementProperties, EveryThreadGetsAnAllowedCpuOnAnyMachineWithAnyMaskAndWaker) {
    Random random(2022);
    for (int round = 0; round < 150; ++round) {
        const DomainTree tree = DomainTree::build(random_machine(random));
        const CpuSet allowed = random_subset(random, tree.cpus(), 1 + below(random, 100));
        const int waker = member(random, tree.cpus());
        const int threads = 1 + below(random, 2 * tree.cpus().count());
        for (const KernelRule& rule : kernel_rules()) {
            const std::vector<int> cpus = place(tree, rule.name, threads, allowed, waker);
            EXPECT_EQ(cpus.front(), waker);
            for (std::size_t thread = 1; thread < cpus.size(); ++thread)
                EXPECT_TRUE(allowed.test(cpus[thread])) << rule.name;
        }
    }
}

/// imb_numa_nr grows with the number of packages, and on machines with tiny nodes it can pass the CPUs of a node.
bool imb_fits_the_groups(const DomainTree& tree, int cpu) {
    const auto domains = tree.domains_of(cpu);
    for (std::size_t level = 0; level < domains.size(); ++level) {
        const int local_weight = tree.group(tree.ring(cpu, static_cast<int>(level)).front()).weight;
        const ImbNumaNr imb = tree.domain(domains[level]).imb_numa_nr;
        if (tree.domain(domains[level]).is_numa && std::max(imb.quarter, imb.eighth) > local_weight) return false;
    }
    return true;
}

TEST(PlacementProperties, WithAFullMaskThePinnedAwareRulesEqualTheirUnpinnedOnes) {
    Random random(5);
    for (int round = 0; round < 150; ++round) {
        const DomainTree tree = DomainTree::build(random_machine(random));
        if (!imb_fits_the_groups(tree, tree.cpus().first())) continue;
        const int waker = member(random, tree.cpus());
        const int threads = 1 + below(random, tree.cpus().count() * 3 / 2);
        EXPECT_EQ(place(tree, "v6", threads, tree.cpus(), waker), place(tree, "5.18", threads, tree.cpus(), waker));
        EXPECT_EQ(place(tree, "6.0", threads, tree.cpus(), waker), place(tree, "6.19", threads, tree.cpus(), waker));
    }
}

TEST(PlacementProperties, AMaskInsideOneNodeMakesAllRulesAgreeOnNodeCounts) {
    Random random(6);
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps1));
    const CpuSet node_0 = CpuSet::range(0, 63) | CpuSet::range(128, 191);
    for (int round = 0; round < 40; ++round) {
        const CpuSet allowed = random_subset(random, node_0, 20);
        const int threads = 1 + below(random, 40);
        for (const KernelRule& rule : kernel_rules()) {
            EXPECT_EQ(summarize(tree, place(tree, rule.name, threads, allowed, allowed.first())).threads_per_node,
                      (std::vector<int>{threads, 0}));
        }
    }
}

/// A mask with the same number of CPUs on each node of the Zen3 machine.
CpuSet balanced_mask(Random& random, int per_node) {
    CpuSet mask;
    for (int node = 0; node < 2; ++node) {
        for (int taken = 0; taken < per_node;) {
            const int cpu = node * 64 + below(random, 64) + 128 * below(random, 2);
            taken += mask.test(cpu) ? 0 : 1;
            mask.set(cpu);
        }
    }
    return mask;
}

TEST(PlacementProperties, Rule6_19UsesNoCpuTwiceUnderABalancedMask) {
    Random random(7);
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps1));
    for (int round = 0; round < 400; ++round) {
        const CpuSet mask = balanced_mask(random, 1 + below(random, 20));
        EXPECT_FALSE(any_cpu_twice(place(tree, "6.19", mask.count(), mask, member(random, mask))))
            << format_cpu_list(mask);
    }
}

TEST(PlacementProperties, WithOneCpuPerLlcNoPinnedAwareRuleUsesACpuTwice) {
    Random random(8);
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps1));
    for (int round = 0; round < 200; ++round) {
        const int llcs = 1 + below(random, 8);
        CpuSet mask;
        for (int node = 0; node < 2; ++node) {
            std::vector<int> order{0, 1, 2, 3, 4, 5, 6, 7};
            std::shuffle(order.begin(), order.end(), random);
            for (int index = 0; index < llcs; ++index) {
                mask.set(node * 64 + order[static_cast<std::size_t>(index)] * 8 + below(random, 8) +
                         128 * below(random, 2));
            }
        }
        for (const auto rule : {"v6", "6.0", "6.19"}) {
            EXPECT_FALSE(any_cpu_twice(place(tree, rule, mask.count(), mask, member(random, mask))))
                << rule << " " << format_cpu_list(mask);
        }
    }
}

/// (c + 64) within its half of the machine: the same CPU of the other node.
int on_other_node(int cpu) {
    return cpu ^ 64;
}

TEST(PlacementProperties, SwappingTheNodesSwapsTheCounts) {
    Random random(9);
    const DomainTree tree = DomainTree::build(test::load(test::zen3_nps1));
    for (int round = 0; round < 60; ++round) {
        const CpuSet mask = random_subset(random, tree.cpus(), 10);
        CpuSet swapped_mask;
        for (const int cpu : mask.to_vector())
            swapped_mask.set(on_other_node(cpu));
        const int waker = member(random, mask);
        for (const KernelRule& rule : kernel_rules()) {
            std::vector<int> counts = summarize(tree, place(tree, rule.name, 20, mask, waker)).threads_per_node;
            std::reverse(counts.begin(), counts.end());
            EXPECT_EQ(summarize(tree, place(tree, rule.name, 20, swapped_mask, on_other_node(waker))).threads_per_node,
                      counts)
                << rule.name;
        }
    }
}

TEST(PlacementProperties, NothingLeavesTheWakersNodeWhereNumaLevelsDoNotBalanceAtFork) {
    Random random(16);
    for (int round = 0; round < 60; ++round) {
        Machine machine = random_machine(random);
        machine.reclaim_distance = 11;  // below any distance between nodes
        const DomainTree tree = DomainTree::build(machine);
        const int waker = member(random, tree.cpus());
        for (const KernelRule& rule : kernel_rules()) {
            for (const int cpu : place(tree, rule.name, tree.cpus().count(), tree.cpus(), waker))
                EXPECT_EQ(tree.node_of(cpu), tree.node_of(waker)) << rule.name;
        }
    }
}

/// Old rules are pure functions of their input: the same question, the same answer, and thread i does not depend on n.
TEST(PlacementProperties, PlansAreDeterministicAndPrefixesOfLongerPlans) {
    Random random(10);
    for (int round = 0; round < 40; ++round) {
        const DomainTree tree = DomainTree::build(random_machine(random));
        const CpuSet allowed = random_subset(random, tree.cpus(), 60);
        const int waker = member(random, allowed);
        for (const KernelRule& rule : kernel_rules()) {
            const std::vector<int> longer = place(tree, rule.name, 12, allowed, waker);
            const std::vector<int> shorter = place(tree, rule.name, 7, allowed, waker);
            EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
            EXPECT_EQ(place(tree, rule.name, 12, allowed, waker), longer);
        }
    }
}

}  // namespace
}  // namespace pinwise
