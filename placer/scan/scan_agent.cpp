#include "placer/scan/scan_agent.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <optional>

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "placer/relaxed.hpp"
#include "placer/scan/page_size.hpp"
#include "placer/topology/machine_image.hpp"

namespace pinwise {

namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::uint64_t ns_per_s = 1'000'000'000;
/// Armed under the lock at once: others wait for it in the handler.
constexpr std::size_t piece_bytes = 8U << 20;
/// How much address space a scan may walk over to find its window, in windows, as in Linux.
constexpr std::uint64_t windows_walked = 8;
constexpr std::size_t filter_slots = 1U << 17;
constexpr std::uint32_t most_refusals = 3;

ScanAgent* the_agent = nullptr;

struct ThreadScan {
    std::optional<ScanClock> clock;
    FaultWindow faults;
    SharedRecord* record = nullptr;
    int timer = -1;
    std::uint32_t tid = 0;
    unsigned node = 0;
};
[[gnu::tls_model("initial-exec")]] thread_local constinit ThreadScan own;

std::uint64_t time_ns(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * ns_per_s + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t cpu_time_ns() {
    return time_ns(CLOCK_THREAD_CPUTIME_ID);
}

std::uint32_t in_ms(std::uint64_t ns) {
    return static_cast<std::uint32_t>(ns / ns_per_ms);
}

unsigned current_node() {
    unsigned cpu = 0;
    unsigned node = 0;
    getcpu(&cpu, &node);
    return node;
}

std::uint32_t own_tid() {
    return static_cast<std::uint32_t>(syscall(SYS_gettid));
}

/// Not from the program's allocator, and only as much of it as is used.
std::span<HintFaultFilter::Slot> map_filter_table() {
    const std::size_t bytes = filter_slots * sizeof(HintFaultFilter::Slot);
    const long address =
        syscall(SYS_mmap, 0L, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    if (address == -1) return {};
    return {reinterpret_cast<HintFaultFilter::Slot*>(address), filter_slots};  // NOLINT(performance-no-int-to-ptr)
}

FilterRule rule_of(const ScanSettings& settings) {
    return settings.faithful != 0 ? FilterRule::as_kernel : FilterRule::two_touches;
}

void add(std::atomic<std::uint64_t>& number, std::uint64_t amount) {
    number.fetch_add(amount, relaxed);
}

}  // namespace

ScanAgent* ScanAgent::current() noexcept {
    return the_agent;
}

ScanAgent::ScanAgent(SharedScan& shared, const Machine& machine, std::span<HintFaultFilter::Slot> filter_table)
    : shared_(&shared),
      tunables_(tunables_of(shared.settings)),
      table_(shared.settings.granule_bytes, shared.huge_by_default != 0),
      filter_(filter_table, rule_of(shared.settings)),
      mover_(shared, machine, calls_),
      handler_(table_, *this) {}

ScanAgent::~ScanAgent() {
    if (the_agent == this) the_agent = nullptr;
}

/// The first reason stays: others follow from it.
void ScanAgent::give_reason(SharedScan& shared, ScanState reason) noexcept {
    ScanState before = shared.state.load(relaxed);
    while (before == ScanState::waiting || before == ScanState::scanning || before == ScanState::sandboxed) {
        if (shared.state.compare_exchange_weak(before, reason, relaxed)) return;
    }
}

ScanState ScanAgent::can_scan(const SharedScan& shared, const Machine& machine) noexcept {
    // Without that it is not known what may be armed.
    if (!may_ask_for_presence()) return ScanState::denied;
    if (shared.anyway != 0) return ScanState::scanning;
    if (machine.memory_nodes().count() < 2) return ScanState::one_node;
    const int here = 0;
    const int node = node_of_page(&here);
    if (node == -EPERM) return ScanState::denied;
    return node == -ENOSYS ? ScanState::unsupported : ScanState::scanning;
}

std::unique_ptr<ScanAgent> ScanAgent::start(const SessionMemory& memory) {
    SharedScan& shared = memory.header().scan;
    if (shared.settings.mode == ScanMode::off || !check_scan_settings(shared.settings)) return nullptr;
    const auto machine = decode_machine(memory.machine());
    if (!machine) return nullptr;
    if (const ScanState able = can_scan(shared, *machine); able != ScanState::scanning) {
        give_reason(shared, able);
        return nullptr;
    }
    const auto filter_table = map_filter_table();
    std::unique_ptr<ScanAgent> agent(new ScanAgent(shared, *machine, filter_table));
    if (filter_table.empty() || !agent->table_.usable()) {
        give_reason(shared, ScanState::no_memory);
        return nullptr;
    }
    if (!agent->handler_.install()) {
        give_reason(shared, ScanState::no_handler);
        return nullptr;
    }
    // A filter of system calls ended the scanning of the program that set it, not of those that it starts.
    for (ScanState before : {ScanState::waiting, ScanState::sandboxed})
        shared.state.compare_exchange_strong(before, ScanState::scanning, relaxed);
    the_agent = agent.get();
    return agent;
}

void ScanAgent::stop(ScanState reason) noexcept {
    if (stopped_.exchange(true, relaxed)) return;
    table_.stop();
    give_reason(*shared_, reason);
}

// ---- threads

Heritage ScanAgent::thread_to_come() noexcept {
    const std::uint32_t users = std::max(threads_.load(relaxed), 1U);
    if (users == 1) space_.restart(time_ns(CLOCK_MONOTONIC), tunables_.delay_ms);
    const ScanClock creator = own.clock ? *own.clock : ScanClock(tunables_);
    static_assert(sizeof(ScanClock) == sizeof(Heritage));
    return std::bit_cast<Heritage>(
        ScanClock::of_new_thread(tunables_, creator, table_.tracked_bytes(), users, space_.scan_seq()));
}

void ScanAgent::thread_started(SharedRecord& record, const Heritage* heritage) noexcept {
    own.clock = heritage != nullptr ? std::bit_cast<ScanClock>(*heritage) : ScanClock(tunables_);
    own.record = &record;
    own.tid = own_tid();
    own.node = current_node();
    threads_.fetch_add(1, relaxed);
    start_timer();
}

void ScanAgent::thread_ended() noexcept {
    if (!own.clock) return;
    if (own.timer >= 0) syscall(SYS_timer_delete, own.timer);
    own.timer = -1;
    own.clock.reset();
    own.record = nullptr;
    threads_.fetch_sub(1, relaxed);
}

void ScanAgent::start_timer() noexcept {
    struct sigevent event {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGSEGV;
    event.sigev_value.sival_ptr = handler_.timer_value();
    event._sigev_un._tid = static_cast<pid_t>(own.tid);
    int timer = -1;
    const int saved = errno;
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) {
        own.timer = timer;
    } else {
        give_reason(*shared_, ScanState::no_timer);
    }
    errno = saved;
    set_timer(own.clock->stamp_ns() + own.clock->period_ms() * ns_per_ms + 1);
}

void ScanAgent::set_timer(std::uint64_t cpu_time) noexcept {
    if (own.timer < 0 || stopped_.load(relaxed)) return;
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(cpu_time / ns_per_s);
    when.it_value.tv_nsec = static_cast<long>(cpu_time % ns_per_s);
    const int saved = errno;
    syscall(SYS_timer_settime, own.timer, TIMER_ABSTIME, &when, nullptr);
    errno = saved;
}

// ---- fork

void ScanAgent::before_fork() noexcept {
    table_.before_fork();
}

void ScanAgent::after_fork_in_parent() noexcept {
    table_.after_fork_in_parent();
}

/// Its one thread starts anew, with nothing armed. Timers are not inherited.
void ScanAgent::after_fork_in_child() noexcept {
    handler_.after_fork_in_child();
    mover_.after_fork_in_child();
    std::construct_at(&space_);
    threads_.store(0, relaxed);
    scanning_now_.store(0, relaxed);
    unpaid_fault_ns_.store(0, relaxed);
    own.timer = -1;
    own.clock.reset();
    own.record = nullptr;
    own.tid = own_tid();
    table_.after_fork_in_child();
}

// ---- scanning

void ScanAgent::timer_expired() noexcept {
    if (!own.clock || stopped_.load(relaxed)) return;
    const std::uint64_t now_ns = time_ns(CLOCK_MONOTONIC);
    const std::uint64_t cpu_ns = cpu_time_ns();
    const std::uint64_t resident = table_.tracked_bytes();
    look_at_node();
    if (own.clock->tick(tunables_, cpu_ns, resident)) {
        if (space_.claim(now_ns, own.clock->period_ms(), tunables_.delay_ms) == ScanClaim::won) {
            scan(now_ns);
        } else {
            shared_->counters.add(ScanCounter::scans_lost);
        }
    }
    if (own.clock->adaptation_due(space_.scan_seq())) own.clock->adapt(tunables_, own.faults, resident, space_, now_ns);
    drain(now_ns);
    const std::uint64_t due_ns = own.clock->stamp_ns() + own.clock->period_ms() * ns_per_ms + 1;
    set_timer(std::max(due_ns, cpu_time_ns() + tunables_.tick_ns));
}

/// The scheduler moved the thread to another node: its memory is to follow soon.
void ScanAgent::look_at_node() noexcept {
    const unsigned node = current_node();
    if (node != own.node) own.clock->changed_node(tunables_, table_.tracked_bytes());
    own.node = node;
}

void ScanAgent::scan(std::uint64_t now_ns) noexcept {
    const std::uint64_t begin_ns = cpu_time_ns();
    const bool overlaps = scanning_now_.fetch_add(1, relaxed) > 0;
    own.clock->scan_begins(tunables_);
    if (!arm_window(now_ns)) back_off(now_ns);
    scanning_now_.fetch_sub(1, relaxed);
    const std::uint64_t cost_ns = cpu_time_ns() - begin_ns;
    shared_->counters.add(ScanCounter::scans);
    if (overlaps) shared_->counters.add(ScanCounter::scans_overlapping);
    shared_->counters.add(ScanCounter::scan_system_ns, cost_ns);
    if (own.record != nullptr) {
        add(own.record->scans, 1);
        add(own.record->scan_system_ns, cost_ns);
    }
    // Linux charges the scan alone; ours pays for the faults, too, which are dearer by far in a program than in the
    // kernel.
    const std::uint64_t faults_ns = unpaid_fault_ns_.exchange(0, relaxed);
    own.clock->charge(cost_ns + (tunables_.faithful ? 0 : faults_ns));
}

/// False: the kernel refused to arm.
bool ScanAgent::arm_window(std::uint64_t now_ns) noexcept {
    std::uint64_t window = tunables_.window_bytes;
    std::uint64_t walk = windows_walked * window;
    // As Linux: in a process of one thread, what is on the node it runs on has nothing to gain.
    std::optional<int> left_alone;
    if (threads_.load(relaxed) == 1 && shared_->anyway == 0) left_alone = static_cast<int>(own.node);
    while (window > 0 && walk > 0) {
        const ArmedPiece piece =
            table_.arm_next(std::min<std::uint64_t>({piece_bytes, window, walk}), in_ms(now_ns), left_alone);
        if (piece.paused) return true;
        if (piece.range.empty()) {
            space_.pass_completed();
            mover_.pass_completed();
            shared_->counters.add(ScanCounter::scan_passes);
            return true;
        }
        shared_->counters.add(ScanCounter::numa_pte_updates, piece.pages);
        if (piece.refused) return false;
        if (piece.all_are_armed) return true;
        walk -= std::min<std::uint64_t>(walk, piece.range.bytes());
        if (piece.pages > 0) window -= std::min<std::uint64_t>(window, piece.range.bytes());
    }
    return true;
}

void ScanAgent::back_off(std::uint64_t now_ns) noexcept {
    shared_->counters.add(ScanCounter::arming_failed);
    table_.open_all();
    if (refusals_.fetch_add(1, relaxed) + 1 >= most_refusals) return stop(ScanState::too_many_mappings);
    space_.postpone(now_ns, tunables_.period_max_ms);
}

// ---- faults

void ScanAgent::hint_fault(const void* address, const Opening& opening) noexcept {
    const std::uint64_t begin_ns = cpu_time_ns();
    record_touch(address, opening);
    const std::uint64_t cost_ns = cpu_time_ns() - begin_ns;
    add(unpaid_fault_ns_, cost_ns);
    shared_->counters.add(ScanCounter::fault_system_ns, cost_ns);
    if (own.record != nullptr) add(own.record->scan_system_ns, cost_ns);
    if (mover_.batch_is_ready()) drain(time_ns(CLOCK_MONOTONIC));
}

void ScanAgent::record_touch(const void* address, const Opening& opening) noexcept {
    if (own.tid == 0) own.tid = own_tid();
    const int node = static_cast<int>(current_node());
    // One node: nothing to ask, and nothing that may be forbidden.
    const int page_node = mover_.node_count() < 2 ? node : node_of_page(address);
    const bool local = page_node == node;
    const TouchVerdict verdict =
        filter_.touch(opening.granule.begin / table_.granule_bytes(),
                      {.thread = own.tid, .node = static_cast<std::uint16_t>(node)}, space_.scan_seq());
    own.faults.count(local, verdict.is_private, opening.granule.bytes() / page_bytes);
    shared_->counters.add(ScanCounter::numa_hint_faults);
    if (local) shared_->counters.add(ScanCounter::numa_hint_faults_local);
    if (own.record != nullptr) {
        add(own.record->hint_faults, 1);
        add(own.record->hint_faults_local, local ? 1 : 0);
    }
    if (local || page_node < 0 || !verdict.migrate) return;
    const std::uint32_t after_ms = in_ms(time_ns(CLOCK_MONOTONIC)) - opening.armed_ms;
    mover_.wish({.granule = opening.granule,
                 .from = page_node,
                 .to = node,
                 .thread = own.tid,
                 .revisit_ns = static_cast<double>(std::max(after_ms, 1U) * ns_per_ms)});
}

void ScanAgent::drain(std::uint64_t now_ns) noexcept {
    const std::uint64_t begin_ns = cpu_time_ns();
    mover_.drain(now_ns, own.faults);
    shared_->counters.add(ScanCounter::move_system_ns, cpu_time_ns() - begin_ns);
    const MoverState state = mover_.state();
    if (state != MoverState::working && shared_->anyway == 0) stop(state_of(state));
}

void ScanAgent::stop_timer() noexcept {
    if (own.timer < 0) return;
    const itimerspec never{};
    syscall(SYS_timer_settime, own.timer, 0, &never, nullptr);
}

void ScanAgent::passed_on() noexcept {
    shared_->counters.add(ScanCounter::faults_passed_on);
}

void ScanAgent::must_stop() noexcept {
    stop(ScanState::pending_segv);
}

}  // namespace pinwise
