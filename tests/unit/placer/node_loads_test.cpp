#include "placer/policy/node_loads.hpp"

#include <gmock/gmock.h>

namespace pinwise {
namespace {

using testing::ElementsAre;

/// What node 0 decides in each of five calls with the same threads, history starting at 0; -1: nothing.
struct Calls {
    std::vector<int> busiest;
    std::vector<std::vector<int>> loads;
};

Calls five_calls(const std::vector<int>& running) {
    NodeLoads loads(std::vector<int>(running.size(), 4));
    Calls calls;
    for (int call = 0; call < 5; ++call) {
        loads.sample(running);
        calls.busiest.push_back(loads.busiest(0, default_cross_node_bal).value_or(-1));
        calls.loads.emplace_back();
        for (int node = 0; node < loads.count(); ++node)
            calls.loads.back().push_back(loads.load(node));
    }
    return calls;
}

TEST(NodeLoads, DecayByIntegerHalvingAsTheFirstBalancerDid) {
    const Calls calls = five_calls({2, 6});
    EXPECT_THAT(calls.busiest, ElementsAre(1, 1, 1, 1, 1));
    EXPECT_THAT(calls.loads, ElementsAre(ElementsAre(2, 6), ElementsAre(3, 9), ElementsAre(3, 10), ElementsAre(3, 11),
                                         ElementsAre(3, 11)));
}

TEST(NodeLoads, TruncationLetsAnExactFiveToFourThroughAtTheFourthCall) {
    const Calls calls = five_calls({4, 5});
    EXPECT_THAT(calls.busiest, ElementsAre(-1, -1, -1, 1, 1));
    EXPECT_THAT(calls.loads, ElementsAre(ElementsAre(4, 5), ElementsAre(6, 7), ElementsAre(7, 8), ElementsAre(7, 9),
                                         ElementsAre(7, 9)));
}

TEST(NodeLoads, TheThresholdIsStrict) {
    const Calls calls = five_calls({8, 10});
    EXPECT_THAT(calls.busiest, ElementsAre(-1, -1, -1, -1, 1));
    EXPECT_THAT(calls.loads.back(), ElementsAre(15, 19));
    EXPECT_EQ(five_calls({4, 6}).busiest.front(), 1);
}

TEST(NodeLoads, TheHighestLoadWinsAndOfEqualsTheFirst) {
    EXPECT_THAT(five_calls({3, 4, 5, 4}).busiest, ElementsAre(2, 2, 2, 2, 2));
    EXPECT_THAT(five_calls({2, 6, 6}).busiest, ElementsAre(1, 1, 1, 1, 1));
    EXPECT_THAT(five_calls({0, 0}).busiest, ElementsAre(-1, -1, -1, -1, -1));
}

TEST(NodeLoads, CrossNodeBalIsTheRatioThatMovesThreads) {
    NodeLoads loads({4, 4});
    loads.sample(std::vector{4, 6});
    EXPECT_EQ(loads.busiest(0, 149), 1);
    EXPECT_EQ(loads.busiest(0, 150), std::nullopt);
    EXPECT_EQ(loads.busiest(1, 100), std::nullopt) << "never from a node that is less loaded";
}

TEST(NodeLoads, OfUnequalNodesAreComparedPerCpu) {
    NodeLoads loads({6, 2});
    loads.sample(std::vector{6, 2});
    EXPECT_EQ(loads.busiest(1, 100), std::nullopt);
    loads.sample(std::vector{0, 4});
    loads.sample(std::vector{0, 4});
    EXPECT_EQ(loads.busiest(0, 125), 1);
}

TEST(NodeLoads, NobodyNeedsToLeaveANodeWithACpuForEveryThread) {
    NodeLoads loads({4, 4});
    loads.sample(std::vector{4, 0});
    EXPECT_EQ(loads.busiest(1, 125), 0);
    EXPECT_FALSE(loads.is_crowded(0));
    loads.sample(std::vector{5, 0});
    EXPECT_TRUE(loads.is_crowded(0));
}

TEST(NodeLoads, OneMoveMustNotTurnTheImbalanceRound) {
    NodeLoads loads({4, 4});
    loads.sample(std::vector{5, 4});
    EXPECT_FALSE(loads.evens_out(0, 1));
    loads.sample(std::vector{6, 4});
    EXPECT_TRUE(loads.evens_out(0, 1));
    loads.move_one(0, 1);
    EXPECT_EQ(loads.running(0), 5);
    EXPECT_FALSE(loads.evens_out(0, 1));
}

TEST(NodeLoads, HomeHasRoomOnlyAfterItsLoadHasDecayed) {
    NodeLoads loads({4, 4});
    for (int call = 0; call < 5; ++call)
        loads.sample(std::vector{12, 5});
    EXPECT_FALSE(loads.has_room_at_home(0, 1, 125));
    loads.sample(std::vector{3, 5});
    EXPECT_FALSE(loads.has_room_at_home(0, 1, 125)) << "one look is not enough";
    for (int call = 0; call < 4; ++call)
        loads.sample(std::vector{3, 5});
    EXPECT_TRUE(loads.has_room_at_home(0, 1, 125));
    loads.sample(std::vector{9, 5});
    EXPECT_FALSE(loads.has_room_at_home(0, 1, 125)) << "what runs now counts at once";
}

}  // namespace
}  // namespace pinwise
