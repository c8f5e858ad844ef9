// syscall(): libomp and others ask for and set affinities with it rather than with the functions of libc.

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>

#include <sys/syscall.h>
#include <unistd.h>

#include "placer/agent/affinity_requests.hpp"
#include "placer/agent/affinity_view.hpp"
#include "placer/agent/agent.hpp"
#include "placer/agent/next_definition.hpp"
#include "placer/agent/system_call_arguments.hpp"

namespace pinwise {

namespace {

using SystemCall = long (*)(long, ...);

long call_for_real(long number, const SystemCallArguments& with) {
    static std::atomic<SystemCall> cache{nullptr};
    const auto real = next_definition("syscall", cache);
    return real(number, with.a, with.b, with.c, with.d, with.e, with.f);
}

bool is_calling_thread(pid_t task) {
    return task == 0 || task == gettid();
}

long get_affinity(const SystemCallArguments& with) {
    const long bytes = call_for_real(SYS_sched_getaffinity, with);
    void* set = reinterpret_cast<void*>(with.c);  // NOLINT(performance-no-int-to-ptr)
    if (bytes > 0 && is_calling_thread(static_cast<pid_t>(with.a)))
        show_mask_without_session(set, static_cast<std::size_t>(bytes));
    return bytes;
}

long set_affinity(const SystemCallArguments& with) {
    Agent* agent = Agent::current();
    const void* set = reinterpret_cast<const void*>(with.c);  // NOLINT(performance-no-int-to-ptr)
    AffinityRequest request(agent, agent != nullptr ? agent->slot_of_task(static_cast<pid_t>(with.a)) : std::nullopt,
                            set, static_cast<std::size_t>(with.b));
    if (const auto answer = request.answer()) {
        if (*answer != 0) errno = *answer;
        return *answer == 0 ? 0 : -1;
    }
    const long result = call_for_real(SYS_sched_setaffinity, with);
    request.kernel_said(result == 0);
    return result;
}

}  // namespace

}  // namespace pinwise

extern "C" {

[[gnu::visibility("default")]] long syscall(long number, ...) noexcept {
    va_list list;
    va_start(list, number);
    pinwise::SystemCallArguments with{};
    for (long* argument : {&with.a, &with.b, &with.c, &with.d, &with.e, &with.f})
        *argument = va_arg(list, long);
    va_end(list);
    if (number == SYS_sched_getaffinity) return pinwise::get_affinity(with);
    if (number == SYS_sched_setaffinity) return pinwise::set_affinity(with);
    return pinwise::watched_system_call(number, with, &pinwise::call_for_real);
}

/// The agent's own calls (linked with --wrap=syscall): they are about the true state of things.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's name
long __wrap_syscall(long number, ...) noexcept;
long __wrap_syscall(long number, ...) noexcept {
    // NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
    va_list list;
    va_start(list, number);
    pinwise::SystemCallArguments with{};
    for (long* argument : {&with.a, &with.b, &with.c, &with.d, &with.e, &with.f})
        *argument = va_arg(list, long);
    va_end(list);
    return pinwise::call_for_real(number, with);
}
}
