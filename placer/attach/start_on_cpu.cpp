#include "placer/attach/start_on_cpu.hpp"

#include "placer/attach/ptrace_request.hpp"

namespace pinwise {

namespace {

/// What the kernel's own count will be when the thread runs on `first_cpu`: waking up elsewhere is a migration for it.
/// A new thread may have been moved as well, where it waited for a CPU to stop on.
std::int64_t migrations_then(const RecordedThread& thread, int cpu_now, int first_cpu) {
    const std::int64_t so_far = read_migrations(thread.pid, thread.tid);
    return so_far < 0 ? -1 : so_far + (first_cpu != cpu_now ? 1 : 0);
}

/// The affinity it is to have when it is on its CPU.
CpuMask affinity_once_started(const ThreadPlacer& placer, const Birth& birth, Newcomer kind) {
    const bool is_bound = kind == Newcomer::thread && birth.cpu >= 0;
    return is_bound ? placer.kept_mask(birth) : birth.inherited;
}

}  // namespace

// A stopped thread sleeps, and setting the affinity of a sleeping thread moves nothing: the CPU is chosen when it is
// woken up, within the affinity it has then. So it is woken with one CPU, and given its lasting affinity right after.
// By then the choice is made (ptrace returns when the kernel has put the thread into that CPU's queue, whether or not
// it has begun to run), and a wider affinity moves nobody. The other way round, lasting affinity first, the kernel
// would choose once more.
//
// Between the two calls the thread may run with the one-CPU affinity, for long where it takes our own CPU away. A new
// program asks how many CPUs it has among the first things it does, so processes are held at their next system call:
// we are there to let them go on only when the affinity is in order. Threads are spared the second stop.
void start_on_cpu(ThreadPlacer& placer, const RecordedThread& thread, const Birth& birth, Newcomer kind) {
    Start start;
    start.status = read_task_status(thread.pid, thread.tid);
    // Also a thread that is only recorded is kept where the kernel's fork balancing has put it: without the stop it
    // would not have been woken up a second time.
    const int cpu = birth.cpu >= 0 ? birth.cpu : start.status.cpu;
    const CpuMask only = CpuMask::only(cpu);
    const CpuMask lasting = affinity_once_started(placer, birth, kind);
    const bool held = birth.inherited.test(cpu) && only.apply_to(thread.tid);
    // Refused: the CPU went offline, or the cpuset has changed.
    if (!held) static_cast<void>(birth.inherited.apply_to(thread.tid));
    start.got = birth.cpu >= 0 ? CpuMask::of_thread(thread.tid) : birth.inherited;
    start.certain = held;
    start.first_cpu = held ? cpu : start.status.cpu;
    start.migrations_at_birth = migrations_then(thread, start.status.cpu, start.first_cpu);
    record_start(placer, thread, start);
    if (kind == Newcomer::thread) {
        let_run(thread.tid);
    } else {
        let_run_to_syscall(thread.tid);
    }
    if (!held) return;
    const bool is_ours = CpuMask::of_thread(thread.tid) == only;  // the program may already have set its own
    if (is_ours && (lasting == only || lasting.apply_to(thread.tid))) record_given(placer, thread, lasting);
}

}  // namespace pinwise
