#include "placer/agent/thread_start.hpp"

#include <new>

namespace pinwise {

// NOLINTBEGIN(cppcoreguidelines-owning-memory): a block belongs by turns to the creator, the thread and the pool.

ThreadStartPool::~ThreadStartPool() {
    for (auto& place : kept_)
        delete place.load();
}

ThreadStart* ThreadStartPool::take() {
    for (auto& place : kept_) {
        if (place.load(std::memory_order_relaxed) == nullptr) continue;
        if (ThreadStart* kept = place.exchange(nullptr, std::memory_order_acquire)) return kept;
    }
    return new (std::nothrow) ThreadStart;
}

void ThreadStartPool::give_back(ThreadStart* start) {
    for (auto& place : kept_) {
        ThreadStart* none = nullptr;
        if (place.compare_exchange_strong(none, start, std::memory_order_release, std::memory_order_relaxed)) return;
    }
    delete start;
}

// NOLINTEND(cppcoreguidelines-owning-memory)

}  // namespace pinwise
