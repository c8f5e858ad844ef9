#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "placer/agent/agent_library.hpp"
#include "placer/attach/ptrace_permission.hpp"
#include "placer/memory/apply_memory_policy.hpp"
#include "placer/topology/cpu_set.hpp"
#include "runner/doctor/doctor_facts.hpp"
#include "runner/sched_trace/sched_trace.hpp"

namespace pinwise {
namespace {

Result<void> refused(std::string_view what) {
    return failure(fmt::format("{}: {}", what, std::strerror(errno)));
}

template <class T>
Result<void> without_value(const Result<T>& result) {
    if (!result) return tl::unexpected<Error>(result.error());
    return {};
}

/// Binds the calling thread to what it is bound to already.
Result<void> try_affinity() {
    constexpr std::size_t words = 1024;  // 65536 CPUs
    std::vector<std::uint64_t> mask(words);
    const long bytes = syscall(SYS_sched_getaffinity, 0, words * sizeof(std::uint64_t), mask.data());
    if (bytes < 0) return refused("sched_getaffinity");
    if (syscall(SYS_sched_setaffinity, 0, static_cast<std::size_t>(bytes), mask.data()) != 0)
        return refused("sched_setaffinity");
    return {};
}

Result<void> try_memory_policy() {
    const MemoryAnswer answer = apply_memory_policy(MemoryPolicy{});
    if (answer.step == MemoryAnswer::Step::applied) return {};
    return failure(explain(answer));
}

/// The query form, which moves nothing.
Result<void> try_move_pages() {
    const auto own = std::make_unique<int>(1);
    const void* page = own.get();
    int status = 0;
    if (syscall(SYS_move_pages, 0, 1UL, &page, nullptr, &status, 0) != 0) return refused("move_pages");
    return {};
}

Result<void> try_perf() {
    perf_event_attr event{};
    event.size = sizeof(event);
    event.type = PERF_TYPE_HARDWARE;
    event.config = PERF_COUNT_HW_CPU_CYCLES;
    event.disabled = 1;
    event.exclude_kernel = 1;
    const long fd = syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return failure("perf_event_open: the CPUs shown here have no counters");
    if (fd < 0) return refused("perf_event_open");
    close(static_cast<int>(fd));
    return {};
}

Result<void> try_numa_balancing() {
    constexpr const char* file = "/proc/sys/kernel/numa_balancing";
    if (access(file, W_OK) != 0) return refused(file);
    return {};
}

}  // namespace

Permissions try_permissions() {
    return {.agent = without_value(find_agent_library()),
            .ptrace = check_ptrace(),
            .affinity = try_affinity(),
            .memory_policy = try_memory_policy(),
            .move_pages = try_move_pages(),
            .tracefs = without_value(SchedTrace::open(SchedTrace::Scope::new_threads_of_descendants)),
            .perf = try_perf(),
            .numa_balancing_writable = try_numa_balancing()};
}

}  // namespace pinwise
