#include "placer/memory/memory_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/machines.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

MemoryPolicy parsed(std::string_view text) {
    auto policy = parse_memory_policy(text);
    EXPECT_TRUE(policy.has_value()) << text;
    return policy.value_or(MemoryPolicy{});
}

/// Nodes 0 and 8 with CPUs, node 1 with CPUs and no memory, node 255 memory alone.
Machine sparse_machine() {
    Machine machine;
    for (const auto& [number, bytes] : {std::pair{0, 1ULL << 30U}, {1, 0ULL}, {8, 1ULL << 30U}, {255, 1ULL << 30U}})
        machine.nodes.push_back({.os_index = number, .cpus = {}, .local_cpus = {}, .memory_bytes = bytes});
    return machine;
}

TEST(MemoryPolicy, IsReadAndWrittenAlike) {
    for (const char* text : {"first-touch", "interleave", "interleave:0,8", "weighted-interleave",
                             "weighted-interleave:1", "bind:0-3", "preferred:255"}) {
        EXPECT_EQ(parsed(text).name(), text);
    }
    EXPECT_EQ(parsed("bind:0,1,2,3").name(), "bind:0-3");
}

TEST(MemoryPolicy, OfAnyOtherFormIsAMistakeThatIsExplained) {
    for (const auto& [text, said] : {std::pair{"interleaf", "did you mean interleave"},
                                     {"xx", "unknown memory policy \"xx\". There are first-touch"},
                                     {"", "first-touch"},
                                     {"bind", "needs nodes"},
                                     {"preferred", "needs nodes"},
                                     {"preferred:0,1", "one node"},
                                     {"first-touch:0", "takes no nodes"},
                                     {"bind:", "node list"},
                                     {"bind:3-1", "node list \"3-1\": position"},
                                     {"bind:0 ", "position"},
                                     {"bind:99999999999", "node list"}}) {
        const auto policy = parse_memory_policy(text);
        ASSERT_FALSE(policy.has_value()) << text;
        EXPECT_EQ(policy.error().kind, ErrorKind::usage);
        EXPECT_THAT(policy.error().message, HasSubstr(said));
    }
}

TEST(MemoryPolicy, WithoutNodesTakesAllThatHaveAllowedMemory) {
    const Machine machine = sparse_machine();
    EXPECT_EQ(resolve_memory_policy(parsed("interleave"), machine, {})->name(), "interleave:0,8,255");
    EXPECT_EQ(resolve_memory_policy(parsed("weighted-interleave"), machine, CpuSet{0, 1, 8})->name(),
              "weighted-interleave:0,8");
    EXPECT_EQ(resolve_memory_policy(parsed("first-touch"), machine, {})->name(), "first-touch");
    EXPECT_FALSE(resolve_memory_policy(parsed("interleave"), machine, CpuSet{1}).has_value());
}

TEST(MemoryPolicy, RefusesNodesWithTheReason) {
    const Machine machine = sparse_machine();
    for (const auto& [text, said] : {std::pair{"bind:0,1", "node 1 has no memory; nodes with memory: 0,8"},
                                     {"preferred:3", "node 3 does not exist"},
                                     {"interleave:0,255", "node 255 is not allowed here (allowed: 0-8)"}}) {
        const auto policy = resolve_memory_policy(parsed(text), machine, CpuSet::range(0, 8));
        ASSERT_FALSE(policy.has_value()) << text;
        EXPECT_EQ(policy.error().kind, ErrorKind::usage);
        EXPECT_THAT(policy.error().message, HasSubstr(said));
    }
    EXPECT_TRUE(resolve_memory_policy(parsed("bind:255"), machine, {}).has_value()) << "memory without CPUs";
}

TEST(MemoryPolicy, TakesAnyNodeWhereTheMachineDoesNotRecordMemory) {
    Machine machine = sparse_machine();
    for (Node& node : machine.nodes)
        node.memory_bytes = 0;
    EXPECT_TRUE(resolve_memory_policy(parsed("bind:1"), machine, {}).has_value());
}

TEST(MemoryPolicy, KnowsTheNodesThatAreAllowed) {
    EXPECT_EQ(find_mems_allowed("Mems_allowed:\t1\nMems_allowed_list:\t0-3,8\nvoluntary:\t1\n"), "0-3,8");
    EXPECT_EQ(find_mems_allowed("Name:\tx\n"), "");
    EXPECT_FALSE(allowed_memory_nodes().empty());
}

}  // namespace
}  // namespace pinwise
