#include "placer/agent/agent.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "placer/agent/observation.hpp"
#include "placer/agent/session_lock.hpp"
#include "placer/agent/thread_attributes.hpp"

namespace pinwise {

namespace {

/// The one global of the agent, never destroyed: threads may outlive the destructors of the process.
Agent* the_agent = nullptr;
pthread_once_t agent_once = PTHREAD_ONCE_INIT;

pid_t own_tid() {
    return static_cast<pid_t>(syscall(SYS_gettid));
}

std::uint64_t as_number(pthread_t thread) {
    return static_cast<std::uint64_t>(thread);
}

void debug(std::string_view text) {
    if (getenv("PINWISE_AGENT_DEBUG") == nullptr) return;
    std::array<char, 256> line{};
    const auto end = fmt::format_to_n(line.data(), line.size(), "pinwise agent: process {}: {}\n", getpid(), text);
    // Nothing can be done about a diagnosis that cannot be written.
    [[maybe_unused]] const long written =
        syscall(SYS_write, STDERR_FILENO, line.data(), std::min(end.size, line.size()));
}

std::optional<SessionMemory> open_session() {
    const char* variable = getenv(session_variable);
    if (variable == nullptr) return std::nullopt;
    const auto address = SessionAddress::parse(variable);
    if (!address) {
        debug("the session's address cannot be understood");
        return std::nullopt;
    }
    std::array<char, 64> path{};
    fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/fd/{}", address->owner, address->descriptor);
    const int descriptor = open(path.data(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) {
        debug("the session's memory cannot be opened");
        return std::nullopt;
    }
    auto memory = SessionMemory::attach(descriptor, address->id);
    close(descriptor);
    if (!memory) debug("what is at the session's address is not this session");
    if (memory && memory->header().pid_namespace != pid_namespace()) {
        debug("this process is in another pid namespace than the session");
        return std::nullopt;
    }
    return memory;
}

ThreadFollower* follower() {
    return the_agent != nullptr ? the_agent->follower() : nullptr;
}

void before_fork() {
    if (ThreadFollower* others = follower(); others != nullptr) others->before_fork();
}

void forked_in_parent() {
    if (ThreadFollower* others = follower(); others != nullptr) others->after_fork_in_parent();
}

void forked() {
    if (ThreadFollower* others = follower(); others != nullptr) others->after_fork_in_child();
    if (Agent* agent = the_agent; agent != nullptr) agent->process_started();
}

void start() {
    auto memory = open_session();
    if (!memory) return;
    auto placer = ThreadPlacer::create(std::move(*memory));
    if (!placer) {
        debug(placer.error().message);
        return;
    }
    auto others = make_thread_follower((*placer)->memory());
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): see the_agent
    the_agent = new Agent(std::move(*placer), std::move(others));
    pthread_atfork(before_fork, forked_in_parent, forked);
    the_agent->process_started();
}

/// Keeps errno for the program, and errors of ours from leaving through C code.
template <class Action>
void quietly(Action action) {
    const int saved_errno = errno;
    try {
        action();
    } catch (const std::exception& error) {
        debug(error.what());
    }
    errno = saved_errno;
}

}  // namespace

Agent* Agent::current() {
    quietly([] { pthread_once(&agent_once, [] { quietly(start); }); });
    return the_agent;
}

Agent::Agent(std::unique_ptr<ThreadPlacer> placer, std::unique_ptr<ThreadFollower> follower)
    : placer_(std::move(placer)),
      follower_(std::move(follower)),
      sees_ends_(pthread_key_create(&end_of_thread_, &Agent::thread_ended) == 0) {}

std::optional<Birth> Agent::begin_thread(const pthread_attr_t* attributes) {
    std::optional<Birth> birth;
    quietly([&] {
        const auto own_mask = explicit_affinity(attributes);
        const auto own = own_slot();
        const Creator creator{.pid = own ? placer_->table().record(*own).pid.load(std::memory_order_relaxed) : getpid(),
                              .waker = sched_getcpu(),
                              .mask = CpuMask::of_thread(0),
                              .slot = own};
        birth = placer_->begin_thread(creator, own_mask ? &*own_mask : nullptr);
        if (birth && follower_ != nullptr) birth->heritage = follower_->thread_to_come();
    });
    return birth;
}

void Agent::thread_started(const Birth& birth) {
    quietly([&] {
        own(birth.slot);
        thread_created(birth, pthread_self());
        placer_->started(birth, own_tid());
        if (follower_ != nullptr)
            follower_->thread_started(placer_->table().record(birth.slot), birth.heritage ? &*birth.heritage : nullptr);
    });
}

void Agent::thread_created(const Birth& birth, pthread_t thread) {
    placer_->table().record(birth.slot).handle.store(as_number(thread), std::memory_order_relaxed);
}

const CpuMask* Agent::mask_without_session() const {
    const auto slot = own_slot();
    if (!slot) return nullptr;
    const SharedRecord& record = placer_->table().record(*slot);
    if (record.asked_cpu.load(std::memory_order_relaxed) < 0) return nullptr;
    if (record.own_affinity.load(std::memory_order_relaxed) != 0) return nullptr;
    const bool still_ours = was_given(record, CpuMask::of_thread(0).hash());
    return still_ours ? placer_->table().unbound_mask(*slot) : nullptr;
}

std::optional<RecordSlot> Agent::slot_of_task(pid_t tid) const {
    if (tid == 0 || tid == own_tid()) return own_slot();
    const SessionLock lock(placer_->memory().header());
    return lock.held() ? placer_->table().find_task(tid) : std::nullopt;
}

std::optional<RecordSlot> Agent::slot_of_handle(pthread_t thread) const {
    if (pthread_equal(thread, pthread_self()) != 0) return own_slot();
    const SessionLock lock(placer_->memory().header());
    return lock.held() ? placer_->table().find_handle(getpid(), as_number(thread)) : std::nullopt;
}

void Agent::process_started() {
    quietly([&] {
        const pid_t pid = getpid();
        if (const auto slot = placer_->find_after_exec(pid)) {
            own(*slot);
            if (follower_ != nullptr) follower_->thread_started(placer_->table().record(*slot), nullptr);
            return;
        }
        const auto birth = placer_->begin_process({.pid = pid,
                                                   .waker = sched_getcpu(),
                                                   .mask = CpuMask::of_thread(0),
                                                   .slot = {},
                                                   .forked_by = held_slot(),
                                                   .parent_pid = getppid()});
        if (!birth) return;
        // Refused: started() reads back what the thread has instead.
        if (birth->cpu >= 0) static_cast<void>(CpuMask::only(birth->cpu).apply_to(0));
        if (birth->needs_inherited) static_cast<void>(birth->inherited.apply_to(0));
        thread_started(*birth);
    });
}

void Agent::process_ends() {
    quietly([&] {
        observe_threads(placer_->memory(), getpid());
        if (const auto slot = own_slot()) placer_->ended(*slot);
    });
}

// A key's destructor rather than a destructor on the stack: it runs at return, pthread_exit and cancellation alike, and
// without unwinding through our frames with another copy of the unwinder than the program's.
void Agent::own(RecordSlot slot) {
    if (!sees_ends_) return;
    const auto value = static_cast<std::uintptr_t>(slot) + 1;
    pthread_setspecific(end_of_thread_, reinterpret_cast<const void*>(value));  // NOLINT(performance-no-int-to-ptr)
}

/// What own() has left in this thread; after a fork, in the thread that forked.
std::optional<RecordSlot> Agent::held_slot() const {
    const auto value = reinterpret_cast<std::uintptr_t>(pthread_getspecific(end_of_thread_));
    if (!sees_ends_ || value == 0) return std::nullopt;
    return static_cast<RecordSlot>(value - 1);
}

std::optional<RecordSlot> Agent::own_slot() const {
    const auto slot = held_slot();
    if (!slot) return std::nullopt;
    const SharedRecord& record = placer_->table().record(*slot);
    // A tid is unique among all processes; after a fork without handlers (_Fork) the slot is the parent's.
    const bool ours = record.tid.load(std::memory_order_relaxed) == own_tid() && placer_->table().is_live(*slot);
    return ours ? slot : std::nullopt;
}

void Agent::thread_ended(void* slot_plus_one) {
    quietly([&] {
        const auto slot = static_cast<RecordSlot>(reinterpret_cast<std::uintptr_t>(slot_plus_one) - 1);
        const SharedRecord& record = the_agent->placer_->table().record(slot);
        if (the_agent->follower_ != nullptr) the_agent->follower_->thread_ended();
        if (record.tid.load(std::memory_order_relaxed) == own_tid()) the_agent->placer_->ended(slot);
    });
}

namespace {

/// Runs before every other constructor (linked with -z initfirst), even those of libc, which would set environ.
[[gnu::constructor]] void program_starts(int /*argc*/, char** /*argv*/, char** environment) {
    if (environ == nullptr) environ = environment;
    Agent::current();
}

[[gnu::destructor]] void program_ends() {
    if (the_agent != nullptr) the_agent->process_ends();
}

}  // namespace

}  // namespace pinwise
