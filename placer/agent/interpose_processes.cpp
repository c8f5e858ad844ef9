// New processes and images: what the kernel reads for them (arguments, environment, stacks) must not be armed.

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

#include "placer/agent/next_definition.hpp"
#include "placer/agent/program_memory.hpp"
#include "placer/agent/system_call_arguments.hpp"
#include "placer/scan/scan_agent.hpp"

namespace pinwise {

namespace {

using Exec = int (*)(const char*, char* const*, char* const*);
using ExecAs = int (*)(const char*, char* const*);
using ExecFile = int (*)(int, char* const*, char* const*);
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                      char* const*);
using OpenPipe = FILE* (*)(const char*, const char*);
using System = int (*)(const char*);
using Fork = pid_t (*)();
using SetStack = int (*)(pthread_attr_t*, void*, std::size_t);
using MakeContext = void (*)(ucontext_t*, void (*)(), int, ...);
using Clone = int (*)(int (*)(void*), void*, int, void*, ...);
using ProcessControl = int (*)(int, ...);

long control_process(long /*number*/, const SystemCallArguments& with) {
    static std::atomic<ProcessControl> cache{nullptr};
    return next_definition("prctl", cache)(static_cast<int>(with.a), with.b, with.c, with.d, with.e);
}

/// Everything is open while an exec is tried. In the child of a vfork, whose memory is its parent's, nothing may be
/// left behind when it succeeds: the parent may arm again meanwhile, and the exec is tried again.
template <class Call>
int exec_with(Call call) {
    ScanAgent* agent = ScanAgent::current();
    if (agent == nullptr) return call();
    constexpr int tries_in_vfork = 100;
    if (!agent->handler().is_own_process()) {
        int result = -1;
        for (int tried = 0; tried < tries_in_vfork; ++tried) {
            agent->table().open_all();
            result = call();
            if (errno != EFAULT) break;
        }
        return result;
    }
    const ScanPause pause;
    agent->handler().before_exec();
    const int result = call();
    const int saved = errno;
    agent->handler().exec_failed();
    errno = saved;
    return result;
}

int exec(const char* path, char* const* arguments, char* const* environment) {
    static std::atomic<Exec> cache{nullptr};
    const auto real = next_definition("execve", cache);
    return exec_with([&] { return real(path, arguments, environment); });
}

int exec_in_path(const char* file, char* const* arguments, char* const* environment) {
    static std::atomic<Exec> cache{nullptr};
    const auto real = next_definition("execvpe", cache);
    return exec_with([&] { return real(file, arguments, environment); });
}

/// The arguments of execl() and its like as an array, which lies on the stack as it does in the C library: in the child
/// of a vfork nothing may be allocated.
constexpr std::size_t most_listed = 1024;
struct ListedArguments {
    std::array<char*, most_listed> pointers{};
    bool complete = false;

    ListedArguments(const char* first, va_list* list) {
        std::size_t count = 0;
        for (const char* next = first; count < most_listed; next = va_arg(*list, const char*)) {
            pointers[count++] = const_cast<char*>(next);  // NOLINT(cppcoreguidelines-pro-type-const-cast): as execl
            complete = next == nullptr;
            if (complete) return;
        }
    }
};

int too_many() {
    errno = E2BIG;
    return -1;
}

int spawn(const char* name, std::atomic<Spawn>& cache, pid_t* pid, const char* path,
          const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes, char* const* arguments,
          char* const* environment) {
    const Spawn real = next_definition(name, cache);
    const ScanPause pause;
    return real(pid, path, actions, attributes, arguments, environment);
}

}  // namespace

}  // namespace pinwise

extern "C" {

[[gnu::visibility("default")]] int execve(const char* path, char* const* arguments, char* const* environment) noexcept {
    return pinwise::exec(path, arguments, environment);
}

[[gnu::visibility("default")]] int execv(const char* path, char* const* arguments) noexcept {
    return pinwise::exec(path, arguments, environ);
}

[[gnu::visibility("default")]] int execvpe(const char* file, char* const* arguments,
                                           char* const* environment) noexcept {
    return pinwise::exec_in_path(file, arguments, environment);
}

[[gnu::visibility("default")]] int execvp(const char* file, char* const* arguments) noexcept {
    return pinwise::exec_in_path(file, arguments, environ);
}

[[gnu::visibility("default")]] int fexecve(int file, char* const* arguments, char* const* environment) noexcept {
    static std::atomic<pinwise::ExecFile> cache{nullptr};
    const auto real = pinwise::next_definition("fexecve", cache);
    return pinwise::exec_with([&] { return real(file, arguments, environment); });
}

[[gnu::visibility("default")]] int execl(const char* path, const char* first, ...) noexcept {
    va_list list;
    va_start(list, first);
    const pinwise::ListedArguments arguments(first, &list);
    va_end(list);
    return arguments.complete ? pinwise::exec(path, arguments.pointers.data(), environ) : pinwise::too_many();
}

[[gnu::visibility("default")]] int execlp(const char* file, const char* first, ...) noexcept {
    va_list list;
    va_start(list, first);
    const pinwise::ListedArguments arguments(first, &list);
    va_end(list);
    return arguments.complete ? pinwise::exec_in_path(file, arguments.pointers.data(), environ) : pinwise::too_many();
}

[[gnu::visibility("default")]] int execle(const char* path, const char* first, ...) noexcept {
    va_list list;
    va_start(list, first);
    const pinwise::ListedArguments arguments(first, &list);
    char* const* environment = arguments.complete ? va_arg(list, char* const*) : nullptr;
    va_end(list);
    return arguments.complete ? pinwise::exec(path, arguments.pointers.data(), environment) : pinwise::too_many();
}

[[gnu::visibility("default")]] int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                                               const posix_spawnattr_t* attributes, char* const* arguments,
                                               char* const* environment) {
    static std::atomic<pinwise::Spawn> cache{nullptr};
    return pinwise::spawn("posix_spawn", cache, pid, path, actions, attributes, arguments, environment);
}

[[gnu::visibility("default")]] int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                                                const posix_spawnattr_t* attributes, char* const* arguments,
                                                char* const* environment) {
    static std::atomic<pinwise::Spawn> cache{nullptr};
    return pinwise::spawn("posix_spawnp", cache, pid, file, actions, attributes, arguments, environment);
}

[[gnu::visibility("default")]] FILE* popen(const char* command, const char* type) {
    static std::atomic<pinwise::OpenPipe> cache{nullptr};
    const auto real = pinwise::next_definition("popen", cache);
    const pinwise::ScanPause pause;
    return real(command, type);
}

[[gnu::visibility("default")]] int system(const char* command) {
    static std::atomic<pinwise::System> cache{nullptr};
    const auto real = pinwise::next_definition("system", cache);
    const pinwise::HeldMemory held(pinwise::scanned_from(command));
    return real(command);
}

/// fork() without the handlers that were registered for it.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
[[gnu::visibility("default")]] pid_t _Fork() noexcept {
    static std::atomic<pinwise::Fork> cache{nullptr};
    const auto real = pinwise::next_definition("_Fork", cache);
    pinwise::ScanAgent* agent = pinwise::ScanAgent::current();
    if (agent == nullptr) return real();
    agent->before_fork();
    const pid_t pid = real();
    if (pid == 0) {
        agent->after_fork_in_child();
    } else {
        agent->after_fork_in_parent();
    }
    return pid;
}

[[gnu::visibility("default")]] int clone(int (*routine)(void*), void* stack, int flags, void* argument, ...) noexcept {
    static std::atomic<pinwise::Clone> cache{nullptr};
    va_list list;
    va_start(list, argument);
    auto* parent_tid = va_arg(list, pid_t*);
    auto* storage = va_arg(list, void*);
    auto* child_tid = va_arg(list, pid_t*);
    va_end(list);
    if (stack != nullptr) pinwise::stack_lies_at(static_cast<const char*>(stack) - 1);
    return pinwise::next_definition("clone", cache)(routine, stack, flags, argument, parent_tid, storage, child_tid);
}

[[gnu::visibility("default")]] int prctl(int option, ...) noexcept {
    va_list list;
    va_start(list, option);
    pinwise::SystemCallArguments with{};
    with.a = option;
    for (long* argument : {&with.b, &with.c, &with.d, &with.e})
        *argument = va_arg(list, long);
    va_end(list);
    return static_cast<int>(pinwise::watched_system_call(SYS_prctl, with, &pinwise::control_process));
}

[[gnu::visibility("default")]] int pthread_attr_setstack(pthread_attr_t* attributes, void* stack,
                                                         std::size_t bytes) noexcept {
    static std::atomic<pinwise::SetStack> cache{nullptr};
    pinwise::memory_goes(stack, bytes);
    return pinwise::next_definition("pthread_attr_setstack", cache)(attributes, stack, bytes);
}

/// The stack of a coroutine. Its arguments are passed on as longs, as the C library reads them.
[[gnu::visibility("default")]] void makecontext(ucontext_t* context, void (*routine)(), int count, ...) noexcept {
    static std::atomic<pinwise::MakeContext> cache{nullptr};
    std::array<long, 12> a{};
    va_list list;
    va_start(list, count);
    for (std::size_t i = 0; i < a.size() && i < static_cast<std::size_t>(count < 0 ? 0 : count); ++i)
        a[i] = va_arg(list, long);
    va_end(list);
    pinwise::memory_goes(context->uc_stack.ss_sp, context->uc_stack.ss_size);
    pinwise::next_definition("makecontext", cache)(context, routine, count, a[0], a[1], a[2], a[3], a[4], a[5], a[6],
                                                   a[7], a[8], a[9], a[10], a[11]);
}
}
