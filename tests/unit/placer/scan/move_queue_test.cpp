#include "placer/scan/move_queue.hpp"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pinwise {
namespace {

MoveRequest request(std::uintptr_t start) {
    return {.start = start, .bytes = 65536, .thread = 1};
}

TEST(MoveQueue, GivesBackInOrder) {
    std::vector<MoveQueue::Cell> cells(4);
    MoveQueue queue;
    queue.use(cells);
    EXPECT_FALSE(queue.pop().has_value());
    for (std::uintptr_t round = 0; round < 10; ++round) {
        EXPECT_TRUE(queue.push(request(2 * round)));
        EXPECT_TRUE(queue.push(request(2 * round + 1)));
        EXPECT_EQ(queue.pop()->start, 2 * round);
        EXPECT_EQ(queue.pop()->start, 2 * round + 1);
    }
}

TEST(MoveQueue, RefusesWhatItHasNoRoomFor) {
    std::vector<MoveQueue::Cell> cells(2);
    MoveQueue queue;
    EXPECT_FALSE(queue.push(request(1)));
    EXPECT_FALSE(queue.pop().has_value());
    queue.use(cells);
    EXPECT_TRUE(queue.push(request(1)));
    EXPECT_TRUE(queue.push(request(2)));
    EXPECT_FALSE(queue.push(request(3)));
    EXPECT_EQ(queue.pop()->start, 1U);
    EXPECT_TRUE(queue.push(request(4)));
}

TEST(MoveQueue, IsEmptyAfterReset) {
    std::vector<MoveQueue::Cell> cells(2);
    MoveQueue queue;
    queue.use(cells);
    queue.push(request(1));
    queue.reset();
    EXPECT_FALSE(queue.pop().has_value());
    EXPECT_TRUE(queue.push(request(2)));
    EXPECT_EQ(queue.pop()->start, 2U);
}

TEST(MoveQueue, LosesNothingOfManyProducers) {
    std::vector<MoveQueue::Cell> cells(64);
    MoveQueue queue;
    queue.use(cells);
    constexpr std::uintptr_t each = 2000;
    std::vector<std::thread> producers;
    for (std::uintptr_t producer = 0; producer < 3; ++producer)
        producers.emplace_back([&queue, producer] {
            for (std::uintptr_t i = 0; i < each; ++i)
                while (!queue.push(request(producer * each + i)))
                    std::this_thread::yield();
        });
    std::set<std::uintptr_t> seen;
    while (seen.size() < 3 * each) {
        if (const auto taken = queue.pop()) {
            EXPECT_TRUE(seen.insert(taken->start).second);
        } else {
            std::this_thread::yield();
        }
    }
    for (std::thread& producer : producers)
        producer.join();
    EXPECT_FALSE(queue.pop().has_value());
}

}  // namespace
}  // namespace pinwise
