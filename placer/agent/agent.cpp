#include "placer/agent/agent.hpp"

#include <array>
#include <bit>
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
        const auto own = creators_slot();
        const Creator creator{.pid = own ? placer_->table().record(*own).pid.load(std::memory_order_relaxed) : getpid(),
                              .waker = sched_getcpu(),
                              .mask = placer_->changed_affinity(own),
                              .slot = own};
        birth = placer_->begin_thread(creator, own_mask ? &*own_mask : nullptr);
        if (birth && follower_ != nullptr) birth->heritage = follower_->thread_to_come();
    });
    return birth;
}

void Agent::thread_started(const Birth& birth) {
    quietly([&] {
        const Own self{.slot = birth.slot, .tid = own_tid()};
        own(self);
        thread_created(birth, pthread_self());
        placer_->started(birth, self.tid);
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
    if (!lock.held()) return std::nullopt;
    placer_->table().settle(lock);
    return placer_->table().find_task(tid);
}

std::optional<RecordSlot> Agent::slot_of_handle(pthread_t thread) const {
    if (pthread_equal(thread, pthread_self()) != 0) return own_slot();
    const SessionLock lock(placer_->memory().header());
    if (!lock.held()) return std::nullopt;
    placer_->table().settle(lock);
    return placer_->table().find_handle(getpid(), as_number(thread));
}

void Agent::process_started() {
    quietly([&] {
        const pid_t pid = getpid();
        const auto forked_by = held();
        if (const auto slot = placer_->find_after_exec(pid)) {
            own({.slot = *slot, .tid = pid});
            fork_mark_.set();
            if (follower_ != nullptr) follower_->thread_started(placer_->table().record(*slot), nullptr);
            return;
        }
        auto birth = placer_->begin_process({.pid = pid,
                                             .waker = sched_getcpu(),
                                             .mask = CpuMask::of_thread(0),
                                             .slot = {},
                                             .forked_by = forked_by ? std::optional(forked_by->slot) : std::nullopt,
                                             .parent_pid = getppid()});
        if (!birth) return;
        if (birth->cpu >= 0) birth->accepted = CpuMask::only(birth->cpu).apply_to(0);
        if (birth->needs_inherited) static_cast<void>(birth->inherited.apply_to(0));
        thread_started(*birth);
        fork_mark_.set();
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
void Agent::own(const Own& own) {
    static_assert(sizeof(Own) == sizeof(const void*));
    if (sees_ends_) pthread_setspecific(end_of_thread_, std::bit_cast<const void*>(own));
}

/// What own() has left in this thread; after a fork, in the thread that forked.
std::optional<Agent::Own> Agent::held() const {
    if (!sees_ends_) return std::nullopt;
    void* value = pthread_getspecific(end_of_thread_);
    return value != nullptr ? std::optional(std::bit_cast<Own>(value)) : std::nullopt;
}

std::optional<RecordSlot> Agent::own_slot() const {
    const auto own = held();
    return own && is_record_of(*own, own_tid()) ? std::optional(own->slot) : std::nullopt;
}

std::optional<RecordSlot> Agent::creators_slot() const {
    const auto own = held();
    return own && is_record_of(*own, known_tid(*own)) ? std::optional(own->slot) : std::nullopt;
}

/// A tid is unique among all processes. After a fork without handlers (_Fork, vfork) what the thread knows of itself is
/// its parent's.
bool Agent::is_record_of(const Own& own, pid_t tid) const {
    const SharedRecord& record = placer_->table().record(own.slot);
    return record.tid.load(std::memory_order_relaxed) == tid && placer_->table().is_live(own.slot);
}

/// Its tid without a system call where that is certain. A child of vfork shares the mark with its parent, but neither
/// creates threads nor ends as one.
pid_t Agent::known_tid(const Own& own) const {
    return fork_mark_.is_set() ? own.tid : own_tid();
}

void Agent::thread_ended(void* value) {
    quietly([&] {
        const auto own = std::bit_cast<Own>(value);
        if (the_agent->follower_ != nullptr) the_agent->follower_->thread_ended();
        if (the_agent->is_record_of(own, the_agent->known_tid(own))) the_agent->placer_->ended(own.slot);
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
