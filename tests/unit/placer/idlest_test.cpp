/// The worked oracles of the kernel model: Z1 to Z5 on the Zen3 machine, S-A and S-B on Skylake in both numberings.
/// Zen3: CPUs 0-63,128-191 node 0; 64-127,192-255 node 1. Lists are the CPUs of thread 1 (the creator) to n.

#include "placer/policy/idlest.hpp"

#include <map>

#include <gmock/gmock.h>

#include "placer/policy/plan.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/cpu_list.hpp"
#include "tests/machines.hpp"

namespace pinwise {
namespace {

using Cpus = std::vector<int>;

const DomainTree& tree_of(const char* source) {
    static std::map<std::string, DomainTree> trees;
    return trees.try_emplace(source, DomainTree::build(test::load(source))).first->second;
}

CpuSet mask_of(const DomainTree& tree, const std::string& list) {
    return list.empty() ? tree.cpus() : CpuSet::of(parse_cpu_list(list).value());
}

struct Placed {
    Cpus cpus;
    std::string counts;
};

struct Scenario {
    const char* machine;
    std::string mask;  // empty: every CPU
    int threads;
    int waker;
    int preferred_node = -1;
    LoadModel load_model = LoadModel::fresh;
};

Placed place(const Scenario& scenario, std::string_view rule) {
    const DomainTree& tree = tree_of(scenario.machine);
    const auto policy = make_policy("idlest@" + std::string(rule)).value();
    const PlacementRequest request{scenario.threads, mask_of(tree, scenario.mask), scenario.waker,
                                   scenario.preferred_node, scenario.load_model};
    Placed placed;
    const Plan plan = make_plan(tree, *policy, request, Reasons::drop).value();
    for (const Placement& placement : plan.threads)
        placed.cpus.push_back(placement.cpu);
    placed.counts = format_node_counts(summarize(tree, placed.cpus).threads_per_node);
    return placed;
}

Cpus range(int first, int last, int step = 1) {
    Cpus cpus;
    for (int cpu = first; cpu <= last; cpu += step)
        cpus.push_back(cpu);
    return cpus;
}

Cpus operator+(Cpus a, const Cpus& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

constexpr auto one_per_llc = "0,16,32,48,64,80,96,112";
const std::array<std::string_view, 7> every_rule{"5.5", "5.10.261", "5.11", "5.18", "v6", "6.0", "6.19"};

TEST(IdlestZ1, PinnedOnePerLlcPilesUpBeforeThePatchAndSpreadsAfterIt) {
    const Scenario z1{test::zen3_nps1, one_per_llc, 8, 32};
    for (const auto rule : {"5.5", "5.11", "5.18"}) {
        EXPECT_EQ(place(z1, rule).cpus, (Cpus{32, 48, 0, 16, 32, 32, 32, 32})) << rule;
        EXPECT_EQ(place(z1, rule).counts, "{8}{0}") << rule;
    }
    EXPECT_EQ(place(z1, "v6").cpus, (Cpus{32, 48, 0, 16, 64, 80, 96, 112}));
    EXPECT_EQ(place(z1, "v6").counts, "{4}{4}");
    for (const auto rule : {"6.0", "6.19"}) {
        EXPECT_EQ(place(z1, rule).cpus, (Cpus{32, 48, 0, 64, 16, 80, 96, 112})) << rule;
    }
}

/// What Debian's 5.10.262 does where 5.10.218 stacks: the old rule, but only allowed CPUs count as idle.
TEST(IdlestZ1, TheOldRuleWithTheFixLeavesTheNodeWhenItsAllowedCpusAreBusy) {
    const Placed placed = place({test::zen3_nps1, one_per_llc, 8, 32}, "5.10.261");
    EXPECT_EQ(placed.cpus, (Cpus{32, 48, 0, 16, 64, 80, 96, 112}));
    EXPECT_EQ(placed.counts, "{4}{4}");
}

TEST(IdlestZ1, OtherWakers) {
    const auto from = [](int waker) { return Scenario{test::zen3_nps1, one_per_llc, 8, waker}; };
    EXPECT_EQ(place(from(0), "5.18").cpus, (Cpus{0, 16, 32, 48, 0, 0, 0, 0}));
    EXPECT_EQ(place(from(0), "v6").cpus, (Cpus{0, 16, 32, 48, 64, 80, 96, 112}));
    EXPECT_EQ(place(from(0), "6.0").cpus, (Cpus{0, 16, 32, 64, 48, 80, 96, 112}));
    EXPECT_EQ(place(from(0), "6.19").cpus, (Cpus{0, 16, 32, 64, 48, 80, 96, 112}));
    const Cpus from_16 = place(from(16), "v6").cpus;
    EXPECT_EQ(Cpus(from_16.begin(), from_16.begin() + 4), (Cpus{16, 32, 48, 0}));
    EXPECT_EQ(place(from(64), "5.18").cpus, (Cpus{64, 80, 96, 112, 64, 64, 64, 64}));
    EXPECT_EQ(place(from(64), "5.18").counts, "{0}{8}");
    EXPECT_EQ(place(from(64), "v6").cpus, (Cpus{64, 80, 96, 112, 0, 16, 32, 48}));
    for (const auto rule : {"6.0", "6.19"})
        EXPECT_EQ(place(from(64), rule).cpus, (Cpus{64, 80, 96, 0, 112, 16, 32, 48})) << rule;
}

TEST(IdlestZ1, APreferredNodeOverridesTheRule) {
    for (const auto rule : every_rule) {
        EXPECT_EQ(place({test::zen3_nps1, one_per_llc, 8, 32, 0}, rule).cpus, (Cpus{32, 48, 0, 16, 32, 32, 32, 32}))
            << rule;
        EXPECT_EQ(place({test::zen3_nps1, one_per_llc, 8, 32, 1}, rule).cpus, (Cpus{32, 64, 80, 96, 112, 64, 80, 96}))
            << rule;
    }
}

TEST(IdlestZ2, OversubscriptionIsNotFixedByAnyVersion) {
    const Scenario z2{test::zen3_nps1, one_per_llc, 16, 32};
    const auto on_32 = [](const Cpus& cpus) { return std::count(cpus.begin(), cpus.end(), 32); };
    for (const auto rule : {"5.5", "5.11"}) {
        EXPECT_EQ(place(z2, rule).counts, "{16}{0}");
        EXPECT_EQ(on_32(place(z2, rule).cpus), 13);
    }
    for (const auto rule : {"5.18", "v6", "6.0", "6.19"})
        EXPECT_EQ(place(z2, rule).counts, "{12}{4}") << rule;
    for (const auto rule : {"v6", "6.0", "6.19"}) {
        const Cpus cpus = place(z2, rule).cpus;
        EXPECT_EQ(Cpus(cpus.begin() + 8, cpus.end()), Cpus(8, 32)) << rule;
    }
}

TEST(IdlestZ3, Unpinned8ThreadsUseOneSocketUntil6_0) {
    const Scenario z3{test::zen3_nps1, "", 8, 25};
    for (const auto rule : {"5.5", "5.11", "5.18", "v6"}) {
        EXPECT_EQ(place(z3, rule).cpus, (Cpus{25, 32, 40, 48, 56, 0, 8, 16})) << rule;
    }
    for (const auto rule : {"6.0", "6.19"}) {
        EXPECT_EQ(place(z3, rule).cpus, (Cpus{25, 32, 40, 64, 48, 72, 56, 80})) << rule;
        EXPECT_EQ(place(z3, rule).counts, "{5}{3}") << rule;
    }
}

TEST(IdlestZ4, Unpinned16Threads) {
    const Scenario z4{test::zen3_nps1, "", 16, 25};
    for (const auto rule : {"5.5", "5.11"}) {
        const PlacementSummary summary = summarize(tree_of(test::zen3_nps1), place(z4, rule).cpus);
        EXPECT_EQ(format_node_counts(summary.threads_per_node), "{16}{0}");
        EXPECT_EQ(summary.cpus_used, 16);
        EXPECT_EQ(summary.llcs_used, 8);
    }
    for (const auto rule : {"5.18", "v6"}) {
        const Cpus cpus = place(z4, rule).cpus;
        EXPECT_EQ(place(z4, rule).counts, "{8}{8}");
        EXPECT_EQ(summarize(tree_of(test::zen3_nps1), cpus).llcs_used, 16);
        EXPECT_EQ(format_node_counts(
                      summarize(tree_of(test::zen3_nps1), Cpus(cpus.begin(), cpus.begin() + 8)).threads_per_node),
                  "{8}{0}");
    }
    for (const auto rule : {"6.0", "6.19"}) {
        EXPECT_EQ(place(z4, rule).cpus, (Cpus{25, 32, 40, 64, 48, 72, 56, 80, 0, 88, 8, 96, 16, 104, 112, 120}))
            << rule;
    }
}

TEST(IdlestZ5, CountingAllowedCpusOnlySeparates6_19From6_0) {
    const Scenario z5{test::zen3_nps1, "0-11", 12, 0};
    for (const auto rule : {"5.5", "5.11", "5.18", "v6", "6.0"}) {
        EXPECT_EQ(place(z5, rule).cpus, (Cpus{0, 8, 1, 9, 2, 10, 3, 11, 4, 8, 9, 10})) << rule;
    }
    EXPECT_EQ(place(z5, "6.19").cpus, (Cpus{0, 1, 2, 3, 4, 8, 5, 9, 6, 10, 7, 11}));
}

TEST(IdlestSkylakeBlock, PinnedToOneNodeNoRuleIsReached) {
    for (const auto rule : every_rule)
        EXPECT_EQ(place({test::skylake_block, "0-15", 16, 0}, rule).cpus, range(0, 15)) << rule;
}

TEST(IdlestSkylakeBlock, Unpinned16Threads) {
    const Scenario unpinned{test::skylake_block, "", 16, 0};
    for (const auto rule : {"5.5", "5.11"})
        EXPECT_EQ(place(unpinned, rule).cpus, range(0, 15)) << rule;
    for (const auto rule : {"5.18", "v6"})
        EXPECT_EQ(place(unpinned, rule).cpus, range(0, 11) + range(24, 27)) << rule;
    for (const auto rule : {"6.0", "6.19"}) {
        EXPECT_EQ(place(unpinned, rule).cpus, (Cpus{0, 1, 2, 24, 3, 25, 4, 26, 5, 27, 28, 29, 6, 30, 7, 31})) << rule;
    }
}

TEST(IdlestSkylakeEvenOdd, Pinned0To15IsWhereThePatchHelps) {
    const Scenario pinned{test::skylake_evenodd, "0-15", 16, 0};
    EXPECT_EQ(place(pinned, "5.18").counts, "{12}{4}");
    const Cpus by_5_18 = place(pinned, "5.18").cpus;
    EXPECT_EQ(Cpus(by_5_18.begin(), by_5_18.begin() + 8), range(0, 14, 2));
    EXPECT_EQ(Cpus(by_5_18.begin() + 12, by_5_18.end()), range(1, 7, 2));
    EXPECT_EQ(place(pinned, "v6").cpus, range(0, 14, 2) + range(1, 15, 2));
    for (const auto rule : {"6.0", "6.19"}) {
        EXPECT_EQ(place(pinned, rule).cpus, (Cpus{0, 2, 4, 1, 6, 3, 8, 5, 10, 7, 9, 11, 12, 13, 14, 15})) << rule;
    }
}

TEST(IdlestSkylakeEvenOdd, TheOldRulesStackByLoadModel) {
    for (const auto rule : {"5.5", "5.11"}) {
        for (const auto& [model, most] : std::map<LoadModel, int>{{LoadModel::fresh, 5}, {LoadModel::saturated, 3}}) {
            const Placed placed = place({test::skylake_evenodd, "0-15", 16, 0, -1, model}, rule);
            const PlacementSummary summary = summarize(tree_of(test::skylake_evenodd), placed.cpus);
            EXPECT_EQ(placed.counts, "{16}{0}") << rule;
            EXPECT_EQ(summary.cpus_used, 8) << rule;
            EXPECT_EQ(summary.most_on_one_cpu, most) << rule;
        }
    }
}

TEST(IdlestSkylakeEvenOdd, Unpinned16Threads) {
    const Scenario unpinned{test::skylake_evenodd, "", 16, 0};
    for (const auto rule : {"5.5", "5.11"})
        EXPECT_EQ(place(unpinned, rule).cpus, range(0, 30, 2)) << rule;
    for (const auto rule : {"5.18", "v6"})
        EXPECT_EQ(place(unpinned, rule).cpus, range(0, 22, 2) + range(1, 7, 2)) << rule;
    for (const auto rule : {"6.0", "6.19"}) {
        EXPECT_EQ(place(unpinned, rule).cpus, (Cpus{0, 2, 4, 1, 6, 3, 8, 5, 10, 7, 9, 11, 12, 13, 14, 15})) << rule;
    }
}

TEST(IdlestSkylakeBlock, AWakerOutsideTheMaskSendsEveryChildIntoIt) {
    for (const auto rule : every_rule) {
        EXPECT_EQ(place({test::skylake_block, "0-15", 9, 30}, rule).cpus, Cpus{30} + range(0, 7)) << rule;
    }
}

struct Counts {
    int threads;
    const char* zen3_5_11;
    const char* zen3_v6;
    const char* zen3_6;
    const char* skylake_5_11;
    const char* skylake_v6;
    const char* skylake_6;
};

class UnpinnedCounts : public testing::TestWithParam<std::tuple<Counts, LoadModel>> {};

TEST_P(UnpinnedCounts, FollowTheTable) {
    const auto& [counts, model] = GetParam();
    const auto on = [&, load_model = model, threads = counts.threads](const char* machine, std::string_view rule) {
        return place({machine, "", threads, 0, -1, load_model}, rule).counts;
    };
    EXPECT_EQ(on(test::zen3_nps1, "5.11"), counts.zen3_5_11);
    EXPECT_EQ(on(test::zen3_nps1, "5.18"), counts.zen3_v6);
    EXPECT_EQ(on(test::zen3_nps1, "v6"), counts.zen3_v6);
    EXPECT_EQ(on(test::zen3_nps1, "6.0"), counts.zen3_6);
    EXPECT_EQ(on(test::zen3_nps1, "6.19"), counts.zen3_6);
    for (const auto* machine : {test::skylake_block, test::skylake_evenodd}) {
        EXPECT_EQ(on(machine, "5.11"), counts.skylake_5_11);
        EXPECT_EQ(on(machine, "5.18"), counts.skylake_v6);
        EXPECT_EQ(on(machine, "v6"), counts.skylake_v6);
        EXPECT_EQ(on(machine, "6.0"), counts.skylake_6);
        EXPECT_EQ(on(machine, "6.19"), counts.skylake_6);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Threads, UnpinnedCounts,
    testing::Combine(testing::Values(Counts{2, "{2}{0}", "{2}{0}", "{2}{0}", "{2}{0}", "{2}{0}", "{2}{0}"},
                                     Counts{3, "{3}{0}", "{3}{0}", "{3}{0}", "{3}{0}", "{3}{0}", "{3}{0}"},
                                     Counts{4, "{4}{0}", "{4}{0}", "{3}{1}", "{4}{0}", "{4}{0}", "{3}{1}"},
                                     Counts{6, "{6}{0}", "{6}{0}", "{4}{2}", "{6}{0}", "{6}{0}", "{4}{2}"},
                                     Counts{8, "{8}{0}", "{8}{0}", "{5}{3}", "{8}{0}", "{8}{0}", "{5}{3}"},
                                     Counts{12, "{12}{0}", "{8}{4}", "{7}{5}", "{12}{0}", "{12}{0}", "{6}{6}"},
                                     Counts{16, "{16}{0}", "{8}{8}", "{8}{8}", "{16}{0}", "{12}{4}", "{8}{8}"},
                                     Counts{24, "{24}{0}", "{12}{12}", "{12}{12}", "{24}{0}", "{12}{12}", "{12}{12}"},
                                     Counts{32, "{32}{0}", "{16}{16}", "{16}{16}", "{24}{8}", "{16}{16}", "{16}{16}"},
                                     Counts{64, "{64}{0}", "{32}{32}", "{32}{32}", "{32}{32}", "{32}{32}", "{32}{32}"}),
                     testing::Values(LoadModel::fresh, LoadModel::saturated)));

TEST(Idlest, BackgroundLoadOnTheLocalNodeShiftsTheThresholdByOne) {
    const DomainTree& tree = tree_of(test::zen3_nps1);
    const CpuSet mask = mask_of(tree, one_per_llc);
    const auto policy = make_policy("idlest").value();
    LoadView load(tree);
    for (const int cpu : {32, 48, 0})
        load.add(cpu);
    EXPECT_EQ(policy->select({tree, load, mask, 32, 3, -1}, nullptr), 16);
    load.add(5);  // somebody else's thread on node 0
    EXPECT_EQ(policy->select({tree, load, mask, 32, 3, -1}, nullptr), 64);
}

TEST(Idlest, NothingLeavesANodeWhoseNumaLevelDoesNotBalanceAtFork) {
    Machine machine = test::load(test::two_small_nodes);
    machine.distances = {{0, 1}, {10, 32, 32, 10}};
    const DomainTree tree = DomainTree::build(machine);
    for (const auto rule : every_rule) {
        const auto policy = make_policy("idlest@" + std::string(rule)).value();
        const Plan plan = make_plan(tree, *policy, {8, tree.cpus(), 5, -1, LoadModel::fresh}, Reasons::drop).value();
        for (const Placement& placement : plan.threads)
            EXPECT_EQ(placement.node, 1) << rule;
    }
}

/// The scan for an idle CPU takes the first by number, here the sibling of a busy core; the levels below repair that.
TEST(Idlest, TheDescentLeavesTheIdleSiblingOfABusyCore) {
    const DomainTree tree =
        DomainTree::build(test::load("synthetic:Package:2 [NUMANode(memory=1GB)] L3Cache:1 Core:4 PU:2"));
    LoadView load(tree);
    load.add(0);
    for (int cpu = 8; cpu < 16; ++cpu)
        load.add(cpu);
    std::vector<PlacementStep> why;
    EXPECT_EQ(make_policy("idlest").value()->select({tree, load, tree.cpus(), 8, 1, -1}, &why), 2);
    ASSERT_GE(why.size(), 2U);
    EXPECT_EQ(why[why.size() - 2].text, "leave: idle CPUs: local 1, best other 2");
}

TEST(Idlest, ExplainsWhyAtEachLevel) {
    const DomainTree& tree = tree_of(test::zen3_nps1);
    const auto plan = make_plan(tree, *make_policy("idlest").value(),
                                {5, mask_of(tree, one_per_llc), 32, -1, LoadModel::fresh}, Reasons::keep);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->threads[0].steps[0].level, "waker");
    EXPECT_EQ(plan->threads[1].steps[0].level, "NUMA(20)");
    EXPECT_THAT(plan->threads[1].steps[0].text, testing::HasSubstr("stay"));
    EXPECT_EQ(plan->threads[1].steps[1].level, "PKG");
    EXPECT_THAT(plan->threads[1].steps[1].text, testing::HasSubstr("leave"));
    EXPECT_EQ(plan->threads[4].steps[0].text,
              "imbalance counts: local running + 1 = 5 against min(4 allowed local CPUs, imb_numa_nr 8)");
    EXPECT_EQ(plan->threads[4].steps[1].text, "leave: idle CPUs: local 124, best other 128");
}

}  // namespace
}  // namespace pinwise
