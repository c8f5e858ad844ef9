#include "runner/config/each_node.hpp"

#include <gmock/gmock.h>

#include "tests/unit/runner/experiments.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto node_matrix = R"(
repetitions = 1
noise_floor = false
[[workload]]
name = "stream"
threads = "cores-per-node"
[[matrix]]
cpus = "each-node"
memory = "bind:each-node"
policy = "llc"
bind = "cpu"
)";

std::vector<std::string> pairs(const std::vector<TrialSpec>& trials) {
    std::vector<std::string> texts;
    for (const TrialSpec& spec : trials)
        texts.push_back(spec.strategy.cpus + " " + spec.strategy.memory);
    return texts;
}

TEST(EachNode, IsEveryNodeWithCpusAgainstEveryMemory) {
    const auto trials = test::trials(node_matrix, test::load(test::two_small_nodes));
    EXPECT_THAT(pairs(trials), ElementsAre("node:0 bind:0", "node:0 bind:1", "node:1 bind:0", "node:1 bind:1"));
    EXPECT_EQ(trials.at(2).threads, 4);
    EXPECT_EQ(trials.at(2).strategy.mask, CpuSet({4, 5, 6, 7}));
    EXPECT_EQ(trials.at(2).strategy.memory_here.nodes, CpuSet({0}));
}

TEST(EachNode, IncludesMemoryWithoutCpus) {
    Machine machine = test::load(test::two_small_nodes);
    machine.nodes.push_back({.os_index = 7, .cpus = {}, .local_cpus = {0, 1, 2, 3}, .memory_bytes = 1 << 30});
    EXPECT_THAT(pairs(test::trials(node_matrix, machine)),
                ElementsAre("node:0 bind:0", "node:0 bind:1", "node:0 bind:7", "node:1 bind:0", "node:1 bind:1",
                            "node:1 bind:7"));
}

TEST(EachNode, LeavesOutWhatIsNotAllowed) {
    Machine machine = test::load(test::two_small_nodes);
    machine.allowed = {0, 1, 2};
    const auto trials = expand(test::experiment(node_matrix), machine, {1});
    ASSERT_TRUE(trials) << trials.error().message;
    EXPECT_THAT(pairs(*trials), ElementsAre("node:0 bind:1"));
    EXPECT_EQ(trials->front().threads, 3);
}

TEST(EachNode, ThatDoesNotExistIsAnErrorWithItsLine) {
    Machine machine = test::load(test::two_small_nodes);
    machine.allowed = {};
    const auto here = with_each_node(test::experiment(node_matrix), machine, {});
    ASSERT_FALSE(here);
    EXPECT_THAT(here.error().message, HasSubstr("test.toml:8: \"each-node\": no NUMA node here is allowed"));
}

TEST(EachNode, IsCountedInTheLimitOfTrials) {
    EXPECT_EQ(test::trials(test::shipped_config("node-matrix.toml"), test::load(test::two_small_nodes)).size(), 20U);
}

}  // namespace
}  // namespace pinwise
