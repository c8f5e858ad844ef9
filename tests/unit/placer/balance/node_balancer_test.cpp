#include "placer/balance/node_balancer.hpp"

#include <random>

#include <gmock/gmock.h>

namespace pinwise {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Nodes of one size, threads that always run, and load of others that comes and goes.
struct Scene {
    Scene(int nodes, int cpus)
        : loads(std::vector<int>(static_cast<std::size_t>(nodes), cpus)), others(static_cast<std::size_t>(nodes), 0) {}

    void add(int home, int count) {
        for (int i = 0; i < count; ++i)
            threads.push_back({.thread = static_cast<int>(threads.size()),
                               .home = home,
                               .node = home,
                               .runnable = true,
                               .settled = true,
                               .nodes = CpuSet::range(0, loads.count() - 1)});
    }

    [[nodiscard]] std::vector<int> running() const {
        std::vector<int> sums = others;
        for (const BalancedThread& thread : threads)
            if (thread.runnable) ++sums[static_cast<std::size_t>(thread.node)];
        return sums;
    }

    std::vector<NodeMove> round(int cross_node_bal = default_cross_node_bal) {
        loads.sample(running());
        auto moves = decide_moves(loads, threads, cross_node_bal);
        for (const NodeMove& move : moves) {
            EXPECT_EQ(threads[move.position].node, move.from);
            EXPECT_TRUE(threads[move.position].nodes.test(move.to));
            threads[move.position].node = move.to;
        }
        for (int node = 0; node < loads.count(); ++node)
            EXPECT_EQ(loads.running(node), running()[static_cast<std::size_t>(node)]) << "loads follow the moves";
        return moves;
    }

    int rounds(int count) {
        int moved = 0;
        for (int i = 0; i < count; ++i)
            moved += static_cast<int>(round().size());
        return moved;
    }

    [[nodiscard]] int away() const {
        return static_cast<int>(
            std::ranges::count_if(threads, [](const BalancedThread& thread) { return thread.node != thread.home; }));
    }

    NodeLoads loads;
    std::vector<int> others;
    std::vector<BalancedThread> threads;
};

TEST(NodeBalancer, LeavesABalancedMachineAlone) {
    Scene scene(4, 4);
    for (int node = 0; node < 4; ++node)
        scene.add(node, 8);
    EXPECT_EQ(scene.rounds(100), 0);
}

TEST(NodeBalancer, DoesNotSpreadThreadsThatHaveACpuEach) {
    Scene scene(2, 4);
    scene.add(0, 4);
    EXPECT_EQ(scene.rounds(100), 0);
}

TEST(NodeBalancer, MovesThreadsOffACrowdedNodeAndHomeWhenTheLoadIsGone) {
    Scene scene(2, 4);
    scene.add(0, 4);
    scene.others = {4, 0};
    const auto left = scene.round();
    ASSERT_THAT(left, SizeIs(4));
    EXPECT_EQ(left[0].reason, MoveReason::busiest);
    EXPECT_EQ(left[0].from_state.running, 8);
    EXPECT_EQ(left[0].to_state.running, 0);
    EXPECT_EQ(left[0].position, 3U) << "the youngest leaves first";
    EXPECT_EQ(scene.rounds(50), 0) << "and stays while the load is there";
    scene.others = {0, 0};
    EXPECT_EQ(scene.rounds(20), 4);
    EXPECT_EQ(scene.away(), 0);
}

TEST(NodeBalancer, OnlyAsManyLeaveAsEvensTheNodesOut) {
    Scene scene(2, 4);
    scene.add(0, 4);
    scene.add(1, 3);
    scene.others = {3, 0};
    scene.rounds(50);
    EXPECT_EQ(scene.running(), (std::vector<int>{5, 5}));
    EXPECT_EQ(scene.away(), 2);
}

TEST(NodeBalancer, ForeignThreadsLeaveBeforeThoseAtHome) {
    Scene scene(3, 4);
    scene.add(0, 4);
    scene.add(1, 2);
    scene.threads[4].node = 0;
    scene.threads[5].node = 0;
    scene.threads[4].home = 2;
    const auto moves = scene.round();
    ASSERT_THAT(moves, SizeIs(2));
    EXPECT_EQ(moves[0].reason, MoveReason::home);
    EXPECT_EQ(scene.away(), 0);
}

TEST(NodeBalancer, AThreadNeverGetsANodeItMayNotUse) {
    Scene scene(3, 2);
    scene.add(0, 2);
    for (BalancedThread& thread : scene.threads)
        thread.nodes = CpuSet{0, 2};
    scene.others = {4, 0, 1};
    scene.rounds(20);
    for (const BalancedThread& thread : scene.threads)
        EXPECT_NE(thread.node, 1);
    EXPECT_GT(scene.away(), 0);
}

TEST(NodeBalancer, SleepersAndNewcomersDoNotLeave) {
    Scene scene(2, 1);
    scene.add(0, 2);
    scene.others = {4, 0};
    scene.threads[0].runnable = false;
    scene.threads[1].settled = false;
    EXPECT_EQ(scene.rounds(10), 0);
}

TEST(NodeBalancer, ThreadsOnOneAnothersFullNodesGoHomeTogether) {
    Scene scene(3, 2);
    for (int node = 0; node < 3; ++node)
        scene.add(node, 6);
    // A ring: 0 on 1, 1 on 2, 2 on 0.
    scene.threads[0].node = 1;
    scene.threads[6].node = 2;
    scene.threads[12].node = 0;
    const auto moves = scene.round();
    ASSERT_THAT(moves, SizeIs(3));
    for (const NodeMove& move : moves)
        EXPECT_EQ(move.reason, MoveReason::exchange);
    EXPECT_EQ(scene.away(), 0);
    EXPECT_THAT(scene.round(), IsEmpty());
}

TEST(NodeBalancer, HomesThatAreCrowdedThemselvesLendTheirThreads) {
    Scene scene(2, 4);
    scene.add(0, 12);
    scene.add(1, 4);
    scene.rounds(50);
    EXPECT_EQ(scene.running(), (std::vector<int>{8, 8}));
    EXPECT_EQ(scene.rounds(50), 0);
}

/// Threads placed as the policies place them, any disturbance for any time: in the end everybody is at home.
TEST(NodeBalancer, EverybodyIsAtHomeAfterAnyDisturbance) {
    std::mt19937 random(2003);
    const auto below = [&random](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    for (int game = 0; game < 300; ++game) {
        Scene scene(2 + below(7), 1 + below(8));
        const int rounds_of_jobs = 1 + below(3);
        for (int node = 0; node < scene.loads.count(); ++node)
            scene.add(node, rounds_of_jobs * scene.loads.cpus(0));
        for (int round = 0; round < 40; ++round) {
            for (int& load : scene.others)
                load = below(3) == 0 ? below(40) : load;
            scene.round(100 + below(101));
        }
        std::ranges::fill(scene.others, 0);
        scene.rounds(60);
        EXPECT_EQ(scene.away(), 0) << "game " << game;
        EXPECT_EQ(scene.rounds(20), 0) << "game " << game;
    }
}

}  // namespace
}  // namespace pinwise
