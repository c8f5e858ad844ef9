#pragma once
/// What a new thread is to do, handed over by its creator.

#include <array>
#include <atomic>
#include <memory>

#include <threads.h>

#include "placer/agent/thread_placer.hpp"

namespace pinwise {

class Agent;

/// The program's routine: exactly one of the two.
struct Routine {
    void* (*posix)(void*) = nullptr;
    thrd_start_t c11 = nullptr;
    void* argument = nullptr;
};

struct ThreadStart {
    Routine routine;
    Birth birth;
    Agent* agent = nullptr;
};

/// ThreadStarts that are used again. A block freed in the thread that it started would make that thread set up caches
/// of malloc for nothing else, which costs as much as placing it.
class ThreadStartPool {
public:
    ThreadStartPool() = default;
    ThreadStartPool(const ThreadStartPool&) = delete;
    ThreadStartPool& operator=(const ThreadStartPool&) = delete;
    ThreadStartPool(ThreadStartPool&&) = delete;
    ThreadStartPool& operator=(ThreadStartPool&&) = delete;
    ~ThreadStartPool();

    /// Null when there is no memory.
    ThreadStart* take();
    void give_back(ThreadStart* start);

private:
    /// More threads than that are seldom between their creation and their start.
    std::array<std::atomic<ThreadStart*>, 32> kept_{};
};

}  // namespace pinwise
