#include "runner/trial/expand.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>

#include "placer/topology/cpu_list.hpp"
#include "tests/unit/runner/experiments.hpp"

namespace pinwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Machine zen3() {
    return test::load(test::zen3_nps1);
}

std::string expand_error(const std::string& toml) {
    const auto expanded = expand(test::experiment(toml), zen3());
    EXPECT_FALSE(expanded);
    return expanded ? "" : expanded.error().message;
}

std::string name(const Strategy& strategy) {
    return strategy.policy + "/" + strategy.cpus + "/" + strategy.bind;
}

TEST(Expand, PutsTheControlFirstAndKeepsTheOrderOfTheRest) {
    const auto trials = test::trials(test::four_strategies, zen3());
    ASSERT_EQ(trials.size(), 20U);
    std::vector<std::string> first;
    for (std::size_t i = 0; i < 4; ++i)
        first.push_back(name(trials[i].strategy));
    EXPECT_THAT(first, testing::ElementsAre("os/all/none", "os/one-per-thread/none", "idlest/one-per-thread/initial",
                                            "idlest/one-per-thread/cpu"));
    EXPECT_EQ(format_cpu_list(trials[1].strategy.mask), "0,16,32,48,64,80,96,112");
    EXPECT_EQ(trials[4].repetition, 2);
    EXPECT_EQ(trials[4].trial, 5);
}

TEST(Expand, IsTheCrossProductOfEveryList) {
    const auto trials = test::trials(R"(
repetitions = 2
[[workload]]
name = "stream"
threads = [2, "llcs", 16]
stores = ["regular", "nontemporal"]
[[matrix]]
cpus = ["all", "one-per-core"]
policy = ["os", "idlest"]
bind = ["initial", "cpu"]
)",
                                     zen3());
    // 2 thread counts (16 twice is one) x 2 stores x (2 os + 4 placed) x 2 repetitions
    EXPECT_EQ(trials.size(), 2U * 2 * 6 * 2);
    std::set<int> numbers;
    for (const TrialSpec& spec : trials)
        numbers.insert(spec.trial);
    EXPECT_EQ(numbers.size(), trials.size());
}

std::string parameter(const TrialSpec& spec, const std::string& key) {
    for (const auto& [name, value] : spec.parameters)
        if (name == key) return value;
    return "absent";
}

TEST(Expand, GivesEveryStrategyArraysOfOneSizeHoweverNarrowItsMask) {
    const std::string all_and_two_llcs = R"(
[[workload]]
name = "stream"
threads = 2
[[matrix]]
cpus = ["0,8", "0,8,64"]
policy = "idlest"
)";
    for (const TrialSpec& spec : test::trials(all_and_two_llcs, zen3()))
        EXPECT_EQ(parameter(spec, "llc_bytes"), "96000000");
    for (const TrialSpec& spec : test::trials(all_and_two_llcs, test::load("synthetic:Package:1 Core:128 PU:1")))
        EXPECT_EQ(parameter(spec, "llc_bytes"), "absent") << "no cache is reported";
    const std::string given =
        "[[workload]]\nname = \"stream\"\nthreads = 1\nllc_bytes = \"4MiB\"\n[[matrix]]\npolicy = \"os\"\n";
    for (const TrialSpec& spec : test::trials(given, zen3()))
        EXPECT_EQ(parameter(spec, "llc_bytes"), "4MiB");
}

TEST(Expand, CrossesMemoryPoliciesAndGivesThemTheNodesOfTheMachine) {
    const auto trials = test::trials(R"(
repetitions = 1
[[workload]]
name = "stream"
[[matrix]]
policy = ["os", "idlest"]
bind = ["llc", "node"]
memory = ["interleave", "first-touch", "bind:1"]
)",
                                     zen3());
    ASSERT_EQ(trials.size(), 3U + 2 * 3) << "bind means nothing to os, memory does";
    EXPECT_EQ(trials[0].strategy.memory, "first-touch") << "the control";
    EXPECT_EQ(trials[1].strategy.memory, "interleave");
    EXPECT_EQ(trials[1].strategy.memory_here.name(), "interleave:0-1");
    EXPECT_EQ(trials[2].strategy.memory_here.nodes, CpuSet{1});
}

TEST(Requirements, AreAllNamedAtOnceWhenTheMachineDoesNotMeetThem) {
    const std::string toml = R"([[requires]]
condition = "nodes >= 3"
reason = "first"
[[requires]]
condition = "nodes >= 1"
reason = "met"
[[requires]]
condition = "cpus >= 1000"
reason = "third"
[[workload]]
name = "stream"
[[matrix]]
policy = "os"
)";
    const auto met = check_requirements(test::experiment(toml), zen3());
    ASSERT_FALSE(met);
    EXPECT_EQ(met.error().kind, ErrorKind::usage);
    EXPECT_THAT(met.error().message,
                AllOf(StartsWith("test.toml:2: this experiment needs nodes >= 3: first; test.toml:8: this experiment "
                                 "needs cpus >= 1000: third (allowed: "),
                      testing::Not(HasSubstr("met"))));
    EXPECT_TRUE(expand(test::experiment(toml), zen3())) << "its trials can be shown nevertheless";
}

TEST(Expand, NothingIsMovedUnlessTheConfigSaysSo) {
    const std::string start = "repetitions = 1\n[[workload]]\nname = \"stream\"\n[[matrix]]\npolicy = \"os\"\n";
    const auto trials = test::trials(start + "migration = [\"none\", \"none\"]\nbalance = \"none\"\n", zen3());
    ASSERT_EQ(trials.size(), 1U);
    EXPECT_EQ(trials[0].strategy.migration, "none");
    EXPECT_EQ(trials[0].strategy.balance, "none");
    EXPECT_EQ(test::config_error(start + "migration = \"nine\"\n"),
              "test.toml:6: unknown migration \"nine\"; did you mean \"none\"?");
    EXPECT_THAT(test::config_error(start + "balance = [\"none\", \"everything\"]\n"),
                HasSubstr("unknown balance \"everything\": none, node-affine or node-affine:PERCENT"));
}

TEST(Expand, ABalancerMeansNothingToTheOsAndHoldsLooseThreadsOnTheirNode) {
    const auto trials = test::trials(R"(
repetitions = 1
[[workload]]
name = "stream"
[[matrix]]
policy = ["os", "llc"]
bind = ["initial", "node", "llc"]
balance = ["none", "node-affine", "node-affine:150"]
)",
                                     zen3());
    std::vector<std::string> strategies;
    for (const TrialSpec& spec : trials)
        strategies.push_back(spec.strategy.policy + " " + spec.strategy.bind + " " + spec.strategy.balance);
    EXPECT_THAT(strategies, testing::ElementsAre("os none none", "llc initial none", "llc node node-affine",
                                                 "llc node node-affine:150", "llc node none", "llc llc none",
                                                 "llc llc node-affine", "llc llc node-affine:150"));
}

TEST(Expand, RefusesMemoryOnNodesThatHaveNoneOrAreNotAllowed) {
    const std::string start = "[[workload]]\nname = \"stream\"\n[[matrix]]\nmemory = ";
    EXPECT_THAT(expand_error(start + "\"bind:2\"\n"), AllOf(HasSubstr(":4: "), HasSubstr("node 2 does not exist")));
    const auto refused = expand(test::experiment(start + "\"preferred:1\"\n"), zen3(), CpuSet{0});
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().message, HasSubstr("node 1 is not allowed here"));
}

TEST(Expand, RefusesAnAbsurdNumberOfTrialsBeforeBuildingThem) {
    std::string many = "repetitions = 1000\n[[workload]]\nname = \"stream\"\nthreads = 1\nntimes = [2";
    for (int ntimes = 3; ntimes < 500; ++ntimes)
        many.append(",").append(std::to_string(ntimes));
    EXPECT_THAT(expand_error(many + "]\n[[matrix]]\npolicy = \"os\"\n"), HasSubstr("498000 trials"));
}

TEST(Expand, RefusesMoreThreadsThanCpusUnlessAskedFor) {
    const std::string toml = "[[workload]]\nname = \"stream\"\nthreads = 3\n[[matrix]]\ncpus = \"one-per-node\"\n";
    EXPECT_THAT(expand_error(toml), AllOf(StartsWith("test.toml:3: threads \"3\" is 3 here, more than the 2 CPUs"),
                                          HasSubstr("oversubscribe = true")));
    EXPECT_EQ(test::trials("repetitions = 1\noversubscribe = true\n" + toml, zen3()).size(), 1U);
}

TEST(Expand, NamesTheLineOfAnExpressionThatIsWrongHere) {
    EXPECT_THAT(expand_error("[[workload]]\nname = \"stream\"\nthreads = \"nodes/4\"\n[[matrix]]\n"),
                StartsWith("test.toml:3: "));
    EXPECT_THAT(expand_error("[[workload]]\nname = \"stream\"\nthreads = 1\n[[matrix]]\ncpus = \"node:9\"\n"),
                StartsWith("test.toml:5: "));
    EXPECT_THAT(
        expand_error(
            "[[workload]]\nname = \"stream\"\nthreads = 1\n[[matrix]]\ncpus = \"0-3\"\npolicy = \"explicit:5\"\n"),
        AllOf(StartsWith("test.toml:6: "), HasSubstr("CPU 5")));
}

using Block = std::tuple<int, WorkloadParameters, int>;

TEST(Order, EveryBlockIsAPermutationOfAllStrategies) {
    const auto trials = test::trials(
        "repetitions = 20\n[[workload]]\nname = \"stream\"\nthreads = [2, 4]\n[[matrix]]\ncpus = [\"all\", "
        "\"one-per-core\"]\npolicy = [\"os\", \"idlest\"]\n",
        zen3());
    const auto ordered = interleaved_order(trials, 1);
    ASSERT_EQ(ordered.size(), trials.size());
    std::set<std::vector<std::string>> permutations;
    for (std::size_t begin = 0; begin < ordered.size(); begin += 4) {
        std::vector<std::string> block;
        for (std::size_t i = begin; i < begin + 4; ++i) {
            EXPECT_EQ(ordered[i].position, static_cast<int>(i) + 1);
            EXPECT_EQ(ordered[i].repetition, ordered[begin].repetition);
            EXPECT_EQ(ordered[i].threads, ordered[begin].threads);
            block.push_back(name(ordered[i].strategy));
        }
        permutations.insert(block);
        EXPECT_EQ(std::set<std::string>(block.begin(), block.end()).size(), 4U);
    }
    EXPECT_GT(permutations.size(), 10U) << "40 shuffles of 4 should show many of the 24 orders";
}

TEST(Order, IsTheSameForTheSameSeedAndAnotherForAnother) {
    const auto trials = test::trials(test::four_strategies, zen3());
    const auto numbers = [&](std::uint64_t seed) {
        std::vector<int> order;
        for (const TrialSpec& spec : interleaved_order(trials, seed))
            order.push_back(spec.trial);
        return order;
    };
    EXPECT_EQ(numbers(7), numbers(7));
    EXPECT_NE(numbers(7), numbers(8));
}

// Worked by an independent program: std::mt19937_64's outputs are fixed by the standard, the rest is in order.hpp.
TEST(Order, OfAKnownSeedIsKnown) {
    std::vector<int> order;
    for (const TrialSpec& spec : interleaved_order(test::trials(test::four_strategies, zen3()), 5489))
        order.push_back(spec.trial);
    EXPECT_THAT(order, testing::ElementsAre(2, 4, 1, 3, 6, 5, 8, 7, 12, 11, 9, 10, 16, 14, 13, 15, 19, 20, 18, 17));
}

TEST(Order, FirstPlaceIsSharedFairly) {
    const auto trials = test::trials(
        "repetitions = 4000\n[[workload]]\nname = \"stream\"\nthreads = 1\n[[matrix]]\npolicy = [\"os\", "
        "\"idlest\"]\nbind = [\"initial\", \"cpu\"]\n",
        zen3());
    std::map<std::string, int> first;
    const auto ordered = interleaved_order(trials, 3);
    for (std::size_t i = 0; i < ordered.size(); i += 3)
        ++first[name(ordered[i].strategy)];
    for (const auto& [strategy, times] : first)
        EXPECT_NEAR(times, 4000.0 / 3, 150) << strategy;  // five standard deviations
}

}  // namespace
}  // namespace pinwise
