// The functions of the program that the agent takes over: thread creation, POSIX and C11.

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <new>

#include <pthread.h>
#include <threads.h>

#include "placer/agent/agent.hpp"
#include "placer/agent/next_definition.hpp"
#include "placer/agent/thread_attributes.hpp"

namespace pinwise {

namespace {

using PosixRoutine = void* (*)(void*);
using PosixCreate = int (*)(pthread_t*, const pthread_attr_t*, PosixRoutine, void*);
using C11Create = int (*)(thrd_t*, thrd_start_t, void*);

/// What the thread is to run: exactly one of the two.
struct Routine {
    PosixRoutine posix = nullptr;
    thrd_start_t c11 = nullptr;
    void* argument = nullptr;
};

struct StartArguments {
    Routine routine;
    Birth birth;
    Agent* agent = nullptr;
};

int create_for_real(pthread_t* thread, const pthread_attr_t* attributes, PosixRoutine routine, void* argument) {
    static std::atomic<PosixCreate> cache{nullptr};
    const PosixCreate create = next_definition("pthread_create", cache);
    return create == nullptr ? EAGAIN : create(thread, attributes, routine, argument);
}

/// Apart from run_thread, so that none of its stack stays in use below the program's routine.
[[gnu::noinline]] Routine begin_in_thread(void* arguments) {
    const std::unique_ptr<StartArguments> start(static_cast<StartArguments*>(arguments));
    start->agent->thread_started(start->birth);
    return start->routine;
}

void* run_thread(void* arguments) {
    const Routine routine = begin_in_thread(arguments);
    if (routine.posix != nullptr) return routine.posix(routine.argument);
    // As in glibc, where thrd_join casts back.
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(  // NOLINT(performance-no-int-to-ptr)
        static_cast<std::intptr_t>(routine.c11(routine.argument))));
}

/// Nothing: the session has no part in this thread, create it as if it were not there.
std::optional<int> create_in_session(pthread_t* thread, const pthread_attr_t* attributes, const Routine& routine) {
    Agent* agent = Agent::current();
    if (agent == nullptr) return std::nullopt;
    std::unique_ptr<StartArguments> start(new (std::nothrow)
                                              StartArguments{.routine = routine, .birth = {}, .agent = agent});
    if (!start) return std::nullopt;
    const auto birth = agent->begin_thread(attributes);
    if (!birth) return std::nullopt;
    start->birth = *birth;
    int result = EINVAL;
    if (birth->cpu >= 0 || birth->needs_inherited) {
        const ThreadAttributes placed(attributes, birth->cpu >= 0 ? CpuMask::only(birth->cpu) : birth->inherited);
        if (placed.get() != nullptr) result = create_for_real(thread, placed.get(), run_thread, start.get());
    }
    // Not placed, or the kernel refused the CPU (taken offline, cpuset changed): the program gets its thread as it
    // asked.
    if (result != 0 && result != EAGAIN) result = create_for_real(thread, attributes, run_thread, start.get());
    if (result == 0) {
        static_cast<void>(start.release());  // now the thread's
        agent->thread_created(*birth, *thread);
    } else {
        agent->take_back(*birth);
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
