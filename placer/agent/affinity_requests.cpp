#include "placer/agent/affinity_requests.hpp"

#include <atomic>
#include <cerrno>

#include <pthread.h>
#include <sched.h>

#include "placer/agent/agent.hpp"
#include "placer/agent/next_definition.hpp"

namespace pinwise {

AffinityRequest::AffinityRequest(Agent* agent, std::optional<RecordSlot> slot, const void* set, std::size_t bytes)
    : agent_(agent), slot_(set != nullptr ? slot : std::nullopt) {
    if (!slot_) return;
    const int saved_errno = errno;
    const CpuMask mask = CpuMask::of_bytes(set, bytes);
    if (const auto accepted = agent_->placer().override_affinity(*slot_, mask)) {
        answer_ = *accepted ? 0 : EINVAL;
    } else if (agent_->placer().returns_to_session(*slot_, mask)) {
        answer_ = 0;
    } else {
        previous_ = agent_->placer().program_sets_affinity(*slot_, mask);
    }
    errno = saved_errno;
}

void AffinityRequest::kernel_said(bool accepted) {
    if (slot_ && !answer_ && !accepted) agent_->placer().set_failed(*slot_, previous_);
}

namespace {

using ByTask = int (*)(pid_t, std::size_t, const cpu_set_t*);
using ByThread = int (*)(pthread_t, std::size_t, const cpu_set_t*);

}  // namespace

}  // namespace pinwise

extern "C" {

[[gnu::visibility("default")]] int sched_setaffinity(pid_t task, std::size_t size_bytes,
                                                     const cpu_set_t* set) noexcept {
    static std::atomic<pinwise::ByTask> cache{nullptr};
    const auto real = pinwise::next_definition("sched_setaffinity", cache);
    auto* agent = pinwise::Agent::current();
    pinwise::AffinityRequest request(agent, agent != nullptr ? agent->slot_of_task(task) : std::nullopt, set,
                                     size_bytes);
    if (const auto answer = request.answer()) {
        if (*answer != 0) errno = *answer;
        return *answer == 0 ? 0 : -1;
    }
    const int result = real(task, size_bytes, set);
    request.kernel_said(result == 0);
    return result;
}

[[gnu::visibility("default")]] int pthread_setaffinity_np(pthread_t thread, std::size_t size_bytes,
                                                          const cpu_set_t* set) noexcept {
    static std::atomic<pinwise::ByThread> cache{nullptr};
    const auto real = pinwise::next_definition("pthread_setaffinity_np", cache);
    auto* agent = pinwise::Agent::current();
    pinwise::AffinityRequest request(agent, agent != nullptr ? agent->slot_of_handle(thread) : std::nullopt, set,
                                     size_bytes);
    if (const auto answer = request.answer()) return *answer;
    const int result = real(thread, size_bytes, set);
    request.kernel_said(result == 0);
    return result;
}
}
