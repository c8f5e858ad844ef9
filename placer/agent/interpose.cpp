// The functions of the program that the agent takes over: thread creation, POSIX and C11.

#include <atomic>
#include <cerrno>
#include <cstdint>

#include <pthread.h>
#include <threads.h>

#include "placer/agent/agent.hpp"
#include "placer/agent/next_definition.hpp"
#include "placer/agent/thread_attributes.hpp"
#include "placer/agent/thread_start.hpp"

namespace pinwise {

namespace {

using PosixRoutine = void* (*)(void*);
using PosixCreate = int (*)(pthread_t*, const pthread_attr_t*, PosixRoutine, void*);
using C11Create = int (*)(thrd_t*, thrd_start_t, void*);

int create_for_real(pthread_t* thread, const pthread_attr_t* attributes, PosixRoutine routine, void* argument) {
    static std::atomic<PosixCreate> cache{nullptr};
    const PosixCreate create = next_definition("pthread_create", cache);
    return create == nullptr ? EAGAIN : create(thread, attributes, routine, argument);
}

/// Apart from run_thread, so that none of its stack stays in use below the program's routine.
[[gnu::noinline]] Routine begin_in_thread(void* argument) {
    auto* start = static_cast<ThreadStart*>(argument);
    Agent* agent = start->agent;
    agent->thread_started(start->birth);
    const Routine routine = start->routine;
    agent->thread_starts().give_back(start);
    return routine;
}

void* run_thread(void* arguments) {
    const Routine routine = begin_in_thread(arguments);
    if (routine.posix != nullptr) return routine.posix(routine.argument);
    // As in glibc, where thrd_join casts back.
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(  // NOLINT(performance-no-int-to-ptr)
        static_cast<std::intptr_t>(routine.c11(routine.argument))));
}

/// With the affinity that the session chose; EINVAL when the kernel refuses it (CPU taken offline, cpuset changed) or
/// there is nothing to set.
int create_placed(pthread_t* thread, const pthread_attr_t* attributes, ThreadStart& start) {
    Birth& birth = start.birth;
    if (birth.cpu < 0 && !birth.needs_inherited) return EINVAL;
    const ThreadAttributes placed(attributes, birth.cpu >= 0 ? CpuMask::only(birth.cpu) : birth.inherited);
    if (placed.get() == nullptr) return EINVAL;
    birth.accepted = birth.cpu >= 0;
    return create_for_real(thread, placed.get(), run_thread, &start);
}

/// Nothing: the session has no part in this thread, create it as if it were not there.
std::optional<int> create_in_session(pthread_t* thread, const pthread_attr_t* attributes, const Routine& routine) {
    Agent* agent = Agent::current();
    if (agent == nullptr) return std::nullopt;
    const auto birth = agent->begin_thread(attributes);
    if (!birth) return std::nullopt;
    ThreadStart* start = agent->thread_starts().take();
    if (start == nullptr) {
        agent->take_back(*birth);
        return std::nullopt;
    }
    *start = {.routine = routine, .birth = *birth, .agent = agent};
    int result = create_placed(thread, attributes, *start);
    if (result != 0 && result != EAGAIN) {
        // As the program asked for it.
        start->birth.accepted = false;
        result = create_for_real(thread, attributes, run_thread, start);
    }
    if (result == 0) {
        agent->thread_created(*birth, *thread);
    } else {
        agent->take_back(*birth);
        agent->thread_starts().give_back(start);
    }
    return result;
}

int c11_status(int error) {
    if (error == 0) return thrd_success;
    return error == ENOMEM ? thrd_nomem : thrd_error;
}

}  // namespace

}  // namespace pinwise

extern "C" {

[[gnu::visibility("default")]] int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                  void* (*routine)(void*), void* argument) noexcept {
    const auto result =
        pinwise::create_in_session(thread, attributes, {.posix = routine, .c11 = nullptr, .argument = argument});
    return result ? *result : pinwise::create_for_real(thread, attributes, routine, argument);
}

[[gnu::visibility("default")]] int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
    static std::atomic<pinwise::C11Create> cache{nullptr};
    const auto result =
        pinwise::create_in_session(thread, nullptr, {.posix = nullptr, .c11 = routine, .argument = argument});
    if (result) return pinwise::c11_status(*result);
    const auto create = pinwise::next_definition("thrd_create", cache);
    return create == nullptr ? thrd_error : create(thread, routine, argument);
}
}
