#include "placer/agent/affinity_view.hpp"

#include <atomic>
#include <cstddef>
#include <cstring>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "placer/agent/agent.hpp"
#include "placer/agent/next_definition.hpp"

namespace pinwise {

namespace {

using ByTask = int (*)(pid_t, std::size_t, cpu_set_t*);
using ByThread = int (*)(pthread_t, std::size_t, cpu_set_t*);

}  // namespace

void show_mask_without_session(void* set, std::size_t size_bytes) {
    Agent* agent = Agent::current();
    if (agent == nullptr) return;
    const CpuMask* mask = agent->mask_without_session();
    if (mask == nullptr) return;
    const auto words = mask->words();
    if (words.size_bytes() > size_bytes) return;
    std::memset(set, 0, size_bytes);
    std::memcpy(set, words.data(), words.size_bytes());
}

}  // namespace pinwise

extern "C" {

[[gnu::visibility("default")]] int sched_getaffinity(pid_t task, std::size_t size_bytes, cpu_set_t* set) noexcept {
    static std::atomic<pinwise::ByTask> cache{nullptr};
    const auto real = pinwise::next_definition("sched_getaffinity", cache);
    const int result = real(task, size_bytes, set);
    if (result == 0 && (task == 0 || task == gettid())) pinwise::show_mask_without_session(set, size_bytes);
    return result;
}

[[gnu::visibility("default")]] int pthread_getaffinity_np(pthread_t thread, std::size_t size_bytes,
                                                          cpu_set_t* set) noexcept {
    static std::atomic<pinwise::ByThread> cache{nullptr};
    const auto real = pinwise::next_definition("pthread_getaffinity_np", cache);
    const int result = real(thread, size_bytes, set);
    if (result == 0 && pthread_equal(thread, pthread_self()) != 0) pinwise::show_mask_without_session(set, size_bytes);
    return result;
}
}
