#include "placer/attach/tracer.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placer/attach/outside_record.hpp"

namespace pinwise {

namespace {

constexpr std::int64_t look_interval_ns = 250'000'000;
constexpr int events_at_once = 256;  // then the caller's other signals have their turn

bool exists(pid_t pid, pid_t tid) {
    return read_task_status(pid, tid).state != TaskState::gone;
}

/// The process a thread belongs to; 0 when it is gone.
pid_t process_of(pid_t tid) {
    std::ifstream status(fmt::format("/proc/{}/status", tid));
    for (std::string word; status >> word;) {
        pid_t pid = 0;
        if (word == "Tgid:") return status >> pid ? pid : 0;
    }
    return 0;
}

}  // namespace

Result<std::unique_ptr<Tracer>> Tracer::create(SessionMemory memory) {
    auto placer = ThreadPlacer::create(std::move(memory));
    if (!placer) return tl::unexpected(placer.error());
    return std::make_unique<Tracer>(std::move(*placer));
}

Tracer::Tracer(std::unique_ptr<ThreadPlacer> placer) : placer_(std::move(placer)) {}

LaunchWatcher Tracer::launch_watcher() {
    return {.attach = [this](pid_t program) { return attach(program); },
            .wait_for_exec = [this](pid_t program) { wait_for_exec(program); }};
}

Result<void> Tracer::attach(pid_t program) {
    if (!seize(program)) return failure(fmt::format("ptrace is not permitted: {}", std::strerror(errno)));
    program_ = program;
    Task& task = tasks_[program];
    task.pid = program;
    task.has_started = true;
    return {};
}

void Tracer::wait_for_exec(pid_t program) {
    while (true) {
        int status = 0;
        const pid_t changed = waitpid(program, &status, __WALL);
        if (changed < 0 && errno == EINTR) continue;
        if (changed != program || !WIFSTOPPED(status)) {
            tasks_.erase(program);
            return;
        }
        const Stop stop = stop_of(status);
        handle_stop(program, stop);
        if (stop.kind == StopKind::exec) return;
        // Nobody is there yet who could stop with it.
        if (stop.kind == StopKind::group_stop) kill(program, SIGCONT);
    }
}

std::optional<int> Tracer::handle_events() {
    for (int handled = 0; !program_status_; ++handled) {
        if (handled == events_at_once) {
            kill(getpid(), SIGCHLD);
            break;
        }
        int status = 0;
        const pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);
        if (tid <= 0) break;
        if (WIFSTOPPED(status)) {
            handle_stop(tid, stop_of(status));
        } else {
            handle_end(tid, status);
        }
    }
    if (program_status_) return program_status_;
    const std::int64_t now_ns = session_time_ns();
    if (now_ns - looked_ns_ >= look_interval_ns) look_after_tasks(now_ns);
    if (!unreported_stop_) return std::nullopt;
    stop_was_reported_ = true;
    return std::exchange(unreported_stop_, std::nullopt);
}

void Tracer::handle_stop(pid_t tid, const Stop& stop) {
    Task& task = tasks_[tid];
    if (task.group_stopped && stop.kind != StopKind::group_stop) {
        task.group_stopped = false;
        if (task.pid == program_) {
            stop_was_reported_ = false;
            unreported_stop_.reset();
        }
    }
    switch (stop.kind) {
        case StopKind::signal:
            return let_run(tid, stop.signal);
        case StopKind::group_stop:
            return group_stopped(tid, task, stop.signal);
        case StopKind::trap:
            return task.has_started ? let_run(tid) : stopped_at_birth(tid, task);
        case StopKind::syscall:
            return at_syscall(tid, task);
        case StopKind::new_task:
            return new_task(tid, false);
        case StopKind::new_task_vfork:
            return new_task(tid, true);
        case StopKind::exec:
            return new_image(tid);
        case StopKind::exit:
            return leaving(tid, task);
    }
}

// The new task and its creator's event come in any order. Everything is decided at the event, because events come in
// the order of creation and first stops do not; the task is let run when both are there.
void Tracer::new_task(pid_t creator_tid, bool is_vfork) {
    const Task& creator = tasks_[creator_tid];
    const auto tid = event_task(creator_tid);
    if (!tid || creator.pid == 0) return let_run(creator_tid);
    const bool is_thread = exists(creator.pid, *tid);
    if (!is_thread && !exists(*tid, *tid)) return let_run(creator_tid);
    Task& task = tasks_[*tid];
    task.pid = is_thread ? creator.pid : *tid;
    task.inherited = CpuMask::of_thread(creator_tid);
    task.without_us = mask_without_us(creator_tid);
    // Until its exec a child of vfork borrows the memory of its parent, which waits for it: it is placed after that.
    if (is_thread || !is_vfork) {
        const auto record = creator.birth ? std::optional(creator.birth->slot) : std::nullopt;
        begin(*tid, task,
              {.pid = task.pid,
               .waker = read_task_status(creator.pid, creator_tid).cpu,
               .mask = task.without_us,
               .slot = record,
               .forked_by = is_thread ? std::nullopt : record,
               .parent_pid = creator.pid});
    }
    // Runtimes size themselves before they create their first thread.
    if (is_thread) bind_process(task.pid);
    if (task.waits_for_creator) start(*tid, task);
    let_run(creator_tid);
}

void Tracer::begin(pid_t tid, Task& task, const Creator& creator) {
    task.birth = task.pid == tid ? placer_->begin_process(creator) : placer_->begin_thread(creator, nullptr);
}

/// The affinity of a task as the program knows it: an affinity of our making is replaced by the one behind it.
CpuMask Tracer::mask_without_us(pid_t tid) const {
    const Task& task = tasks_.at(tid);
    const bool ours = task.birth && task.birth->cpu >= 0 &&
                      has_given_mask(*placer_, {.slot = task.birth->slot, .pid = task.pid, .tid = tid});
    return ours ? task.birth->inherited : CpuMask::of_thread(tid);
}

void Tracer::stopped_at_birth(pid_t tid, Task& task) {
    if (task.pid != 0) return start(tid, task);
    task.waits_for_creator = true;
    task.since_ns = session_time_ns();
}

void Tracer::start(pid_t tid, Task& task) {
    task.has_started = true;
    task.waits_for_creator = false;
    if (!task.birth) return let_run(tid);
    // Its creator may have been faster than we are and have set its affinity: glibc does so for thread attributes.
    if (const CpuMask mask = CpuMask::of_thread(tid); !(mask == task.inherited)) {
        record_own_affinity(*placer_, *task.birth, mask);
    }
    if (task.pid == tid) return start_process(tid, task, Newcomer::forked_process);
    start_on_cpu(*placer_, {.slot = task.birth->slot, .pid = task.pid, .tid = tid}, *task.birth, Newcomer::thread);
}

void Tracer::start_process(pid_t pid, Task& task, Newcomer kind) {
    start_on_cpu(*placer_, {.slot = task.birth->slot, .pid = pid, .tid = pid}, *task.birth, kind);
    task.bind_later = task.birth->cpu >= 0;
    task.since_ns = session_time_ns();
}

// Told in the new image under the process's number, also when another thread than the initial one has called exec.
void Tracer::new_image(pid_t pid) {
    if (const auto former = event_task(pid); former && *former != pid) tasks_.erase(*former);
    Task& task = tasks_[pid];
    task.leaving = false;
    if (!placer_->find_after_exec(pid)) {
        // Nothing happens to it in the rest of the call, and there it can be stopped once more.
        task.birth.reset();
        task.bind_later = false;
        task.ends_exec = true;
        return let_run_to_syscall(pid);
    }
    unbind_for_new_image(pid, task);
    let_run(pid);
}

void Tracer::unbind_for_new_image(pid_t pid, Task& task) {
    if (!task.birth) return;
    const RecordedThread thread{.slot = task.birth->slot, .pid = pid, .tid = pid};
    record_exec(*placer_, thread);
    if (task.birth->cpu < 0 || !has_given_mask(*placer_, thread)) return;
    if (task.birth->inherited.apply_to(pid)) record_given(*placer_, thread, task.birth->inherited);
    task.bind_later = true;
    task.since_ns = session_time_ns();
}

void Tracer::at_syscall(pid_t tid, Task& task) {
    if (!std::exchange(task.ends_exec, false)) return let_run(tid);
    const CpuMask mask = CpuMask::of_thread(tid);
    begin(tid, task,
          {.pid = tid,
           .waker = read_task_status(tid, tid).cpu,
           .mask = mask == task.inherited ? task.without_us : mask,
           .slot = {}});
    if (!task.birth) return let_run(tid);
    start_process(tid, task, Newcomer::new_image);
}

void Tracer::bind_process(pid_t pid) {
    const auto found = tasks_.find(pid);
    if (found == tasks_.end() || !std::exchange(found->second.bind_later, false)) return;
    const Birth& birth = *found->second.birth;
    const RecordedThread thread{.slot = birth.slot, .pid = pid, .tid = pid};
    const CpuMask kept = placer_->kept_mask(birth);
    if (kept == birth.inherited || !has_given_mask(*placer_, thread)) return;
    if (kept.apply_to(pid)) record_given(*placer_, thread, kept);
}

// Its record ends with its death, because the initial thread can also be on its way out for an exec by another thread,
// which takes over its number and record.
void Tracer::leaving(pid_t tid, Task& task) {
    task.leaving = true;
    task.leaving_ns = session_time_ns();
    if (task.birth) record_leaving(*placer_, {.slot = task.birth->slot, .pid = task.pid, .tid = tid});
    let_run(tid);
}

void Tracer::handle_end(pid_t tid, int wait_status) {
    if (const auto found = tasks_.find(tid); found != tasks_.end()) {
        const Task& task = found->second;
        const std::int64_t ended_ns = task.leaving ? task.leaving_ns : session_time_ns();
        if (task.birth && task.has_started) {
            record_end(*placer_, {.slot = task.birth->slot, .pid = task.pid, .tid = tid}, ended_ns);
        } else if (task.birth) {
            placer_->take_back(*task.birth);
        }
        tasks_.erase(found);
    }
    if (tid == program_) program_status_ = wait_status;
}

void Tracer::group_stopped(pid_t tid, Task& task, int signal) {
    leave_stopped(tid);
    task.group_stopped = true;  // one that has not started yet does so when it continues
    if (task.pid != program_ || stop_was_reported_ || !all_of_program_stopped()) return;
    unreported_stop_ = W_STOPCODE(signal);
}

bool Tracer::all_of_program_stopped() const {
    return std::ranges::all_of(tasks_, [&](const auto& entry) {
        const Task& task = entry.second;
        return task.pid != program_ || task.leaving || task.group_stopped;
    });
}

void Tracer::look_after_tasks(std::int64_t now_ns) {
    looked_ns_ = now_ns;
    for (auto& [tid, task] : tasks_) {
        if (now_ns - task.since_ns < look_interval_ns) continue;
        if (task.bind_later) bind_process(tid);
        if (task.waits_for_creator) adopt(tid, task);
    }
}

/// Its creator was killed in the moment of its creation, and its event with it.
void Tracer::adopt(pid_t tid, Task& task) {
    task.pid = process_of(tid);
    task.inherited = task.without_us = CpuMask::of_thread(tid);
    const int cpu = read_task_status(task.pid, tid).cpu;
    begin(tid, task, {.pid = task.pid, .waker = cpu, .mask = task.without_us, .slot = {}});
    start(tid, task);
}

}  // namespace pinwise
