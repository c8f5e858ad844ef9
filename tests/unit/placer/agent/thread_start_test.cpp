#include "placer/agent/thread_start.hpp"

#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/agent/fork_mark.hpp"

namespace pinwise {
namespace {

TEST(ThreadStartPool, GivesABlockToOneAtATime) {
    ThreadStartPool pool;
    std::vector<ThreadStart*> taken;
    for (int i = 0; i < 100; ++i)
        taken.push_back(pool.take());
    EXPECT_EQ(std::set<ThreadStart*>(taken.begin(), taken.end()).size(), taken.size());
    EXPECT_FALSE(std::set<ThreadStart*>(taken.begin(), taken.end()).contains(nullptr));
    for (ThreadStart* start : taken)
        pool.give_back(start);
}

TEST(ThreadStartPool, UsesABlockAgain) {
    ThreadStartPool pool;
    ThreadStart* first = pool.take();
    pool.give_back(first);
    EXPECT_EQ(pool.take(), first);
    pool.give_back(first);
}

/// Exit status of a child made without fork handlers.
template <class Body>
int in_forked_child(Body body) {
    const pid_t child = _Fork();
    if (child == 0) _exit(body());
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

TEST(ForkMark, IsGoneInAForkedProcessUntilItIsSetThere) {
    ForkMark mark;
    if (!mark.is_set()) GTEST_SKIP() << "the kernel does not wipe pages at fork";
    EXPECT_EQ(in_forked_child([&] { return mark.is_set() ? 1 : 0; }), 0);
    EXPECT_TRUE(mark.is_set());
    EXPECT_EQ(in_forked_child([&] {
                  mark.set();
                  return mark.is_set() ? 0 : 1;
              }),
              0);
}

}  // namespace
}  // namespace pinwise
