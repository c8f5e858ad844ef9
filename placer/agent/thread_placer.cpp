#include "placer/agent/thread_placer.hpp"

#include <algorithm>
#include <array>

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "placer/agent/load_refresh.hpp"
#include "placer/agent/session_lock.hpp"
#include "placer/policy/policies.hpp"
#include "placer/topology/machine_image.hpp"

namespace pinwise {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr std::uint32_t max_counted_per_cpu = max_session_threads;

// Counting migrations: some hundred threads at once, and one in twenty parts of the time in the long run.
constexpr std::int64_t counting_credit_ns = 100'000'000;
constexpr std::int64_t counting_share = 20;
constexpr std::int64_t counting_looks = 3;  // at birth, at the end, and what the kernel must clean up behind us

void record_own_name(SharedRecord& record) {
    std::array<char, 16> name{};
    if (prctl(PR_GET_NAME, name.data()) == 0) store_name(record, name.data());
}

/// Rebuilds what a holder that died may have left half-changed.
void repair_if_needed(const SessionLock& lock, ThreadTable& table) {
    if (lock.last_holder_died()) table.repair();
}

}  // namespace

Result<std::unique_ptr<ThreadPlacer>> ThreadPlacer::create(SessionMemory memory) {
    auto machine = decode_machine(memory.machine());
    if (!machine) return tl::unexpected(machine.error());
    auto policy = make_policy(memory.policy());
    if (!policy) return tl::unexpected(policy.error());
    return std::make_unique<ThreadPlacer>(std::move(memory), DomainTree::build(*machine), std::move(*policy));
}

ThreadPlacer::ThreadPlacer(SessionMemory memory, DomainTree tree, std::unique_ptr<PlacementPolicy> policy)
    : memory_(std::move(memory)),
      tree_(std::move(tree)),
      policy_(std::move(policy)),
      table_(memory_),
      load_(tree_),
      allowed_(memory_.header().allowed.to_cpu_set() & tree_.cpus()),
      allowed_mask_(CpuMask::of(allowed_)) {}

std::optional<Birth> ThreadPlacer::begin_thread(const Creator& creator, const CpuMask* own_mask) {
    return begin(creator, own_mask, true);
}

std::optional<Birth> ThreadPlacer::begin_process(const Creator& creator) {
    return begin(creator, nullptr, false);
}

std::optional<Birth> ThreadPlacer::begin(const Creator& creator, const CpuMask* own_mask, bool creator_runs_on) {
    const SessionLock lock(memory_.header());
    if (!lock.held()) return std::nullopt;
    repair_if_needed(lock, table_);
    const std::int64_t now_ns = session_time_ns();
    if (policy_->places_threads()) bring_load_up_to_date(creator, now_ns);
    const auto slot = table_.add(creator.pid, now_ns);
    if (!slot) return std::nullopt;
    SharedRecord& record = table_.record(*slot);
    Birth birth{.slot = *slot, .cpu = -1, .inherited = inherited_mask(creator)};
    if (own_mask != nullptr) {
        birth.inherited = *own_mask;
        // On one CPU it can be counted at once; otherwise when it has started and is somewhere.
        if (policy_->places_threads() && own_mask->count() == 1) table_.count_at(*slot, own_mask->first());
        return birth;
    }
    if (!policy_->places_threads()) return birth;
    birth.cpu = choose(creator, birth.inherited, record.index.load(relaxed), creator_runs_on);
    record.asked_cpu.store(birth.cpu, relaxed);
    table_.count_at(*slot, birth.cpu);
    return birth;
}

/// What the thread would have inherited: everything the session may use, unless the program itself has changed the
/// creator's affinity since (taskset, an OpenMP runtime that binds), which is its wish and respected.
CpuMask ThreadPlacer::inherited_mask(const Creator& creator) const {
    if (creator.mask.empty() || creator.mask == allowed_mask_) return allowed_mask_;
    if (creator.slot) {
        const SharedRecord& record = table_.record(*creator.slot);
        if (record.asked_cpu.load(relaxed) >= 0 && record.given_mask.load(relaxed) == creator.mask.hash()) {
            return memory_.header().bind == Bind::cpu ? allowed_mask_ : creator.mask;
        }
    }
    return creator.mask;
}

int ThreadPlacer::choose(const Creator& creator, const CpuMask& inherited, int index, bool creator_runs_on) {
    const bool narrowed = !(inherited == allowed_mask_);
    const CpuSet within = narrowed ? inherited.to_cpu_set() & allowed_ : CpuSet{};
    const CpuSet& allowed = narrowed ? within : allowed_;
    if (allowed.empty()) return -1;
    const int waker = known_cpu(creator.waker);
    const bool count_creator = creator_runs_on && !creator.slot;
    if (count_creator) load_.add(waker);
    const int cpu = policy_->select(
        PlacementQuery{.tree = tree_, .load = load_, .allowed = allowed, .waker = waker, .thread_index = index},
        nullptr);
    if (count_creator) load_.remove(waker);
    return allowed.test(cpu) ? cpu : -1;
}

/// The policies know online CPUs of the machine only; an isolated or new CPU is replaced by one they know.
int ThreadPlacer::known_cpu(int cpu) const {
    return tree_.cpus().test(cpu) ? cpu : allowed_.first();
}

void ThreadPlacer::bring_load_up_to_date(const Creator& creator, std::int64_t now_ns) {
    SessionHeader& header = memory_.header();
    if (refresh_is_due(header, now_ns)) {
        refresh_load(table_, now_ns);
        const std::int64_t done_ns = session_time_ns();
        header.refresh_cost_ns.store(done_ns - now_ns, relaxed);
        header.refreshed_ns.store(done_ns, relaxed);
    }
    if (creator.slot) table_.count_at(*creator.slot, creator.waker);
    if (load_pid_ != creator.pid) {
        load_.reset();
        load_pid_ = creator.pid;
    }
    const int limit = std::min(tree_.cpu_limit(), max_session_cpus);
    for (int cpu = 0; cpu < limit; ++cpu) {
        const std::uint32_t shared = header.running[static_cast<std::size_t>(cpu)].load(relaxed);
        const auto wanted = static_cast<int>(std::min(shared, max_counted_per_cpu));
        while (load_.nr_running(cpu) < wanted)
            load_.add(cpu);
        while (load_.nr_running(cpu) > wanted)
            load_.remove(cpu);
    }
}

std::optional<RecordSlot> ThreadPlacer::find_after_exec(int pid) {
    const SessionLock lock(memory_.header());
    if (!lock.held()) return std::nullopt;
    repair_if_needed(lock, table_);
    const auto own = table_.find(pid, pid);
    if (!own) return std::nullopt;
    for (int position = table_.live_count() - 1; position >= 0; --position) {
        const RecordSlot slot = table_.live(position);
        if (slot != *own && table_.record(slot).pid.load(relaxed) == pid) table_.end(slot, 0);
    }
    record_own_name(table_.record(*own));
    return own;
}

void ThreadPlacer::take_back(RecordSlot slot) {
    const SessionLock lock(memory_.header());
    if (!lock.held()) return;
    repair_if_needed(lock, table_);
    table_.take_back(slot);
}

/// The first look into /proc costs a new thread tens of microseconds, and its end as much again. A program that creates
/// threads without end is not slowed down by that: beyond a budget its threads are not counted.
void ThreadPlacer::start_counting_migrations(SharedRecord& record, int tid) {
    SessionHeader& header = memory_.header();
    const std::int64_t start_ns = session_time_ns();
    const std::int64_t budget_ns = counting_credit_ns + (start_ns - header.created_ns) / counting_share;
    if (header.counting_cost_ns.load(relaxed) > budget_ns) return;
    const std::int64_t at_birth = read_migrations(getpid(), tid);
    record.migrations_at_birth.store(at_birth, relaxed);
    record.migrations.store(at_birth, relaxed);
    header.counting_cost_ns.fetch_add(counting_looks * (session_time_ns() - start_ns), relaxed);
}

void ThreadPlacer::started(const Birth& birth, int tid) {
    SharedRecord& record = table_.record(birth.slot);
    const int cpu = sched_getcpu();
    const CpuMask got = CpuMask::of_thread(0);
    record.got_count.store(got.count(), relaxed);
    record.got_cpu.store(got.first(), relaxed);
    record.first_cpu.store(cpu, relaxed);
    record.last_cpu.store(cpu, relaxed);
    const bool obeyed = birth.cpu >= 0 && got == CpuMask::only(birth.cpu);
    record.first_cpu_means.store(obeyed ? FirstCpuMeans::agent : FirstCpuMeans::getcpu, relaxed);
    start_counting_migrations(record, tid);
    record_own_name(record);
    record.tid.store(tid, relaxed);
    record.state.store(RecordState::alive, std::memory_order_release);
    const bool restored = obeyed && memory_.header().bind == Bind::initial && birth.inherited.apply_to(0);
    record.given_mask.store((restored ? birth.inherited : got).hash(), relaxed);
    const bool bound_from_allowed = obeyed && !restored && birth.inherited == allowed_mask_;
    record.bound_from_allowed.store(bound_from_allowed ? 1 : 0, relaxed);
    if (birth.cpu >= 0 || !policy_->places_threads() || record.counted_cpu.load(relaxed) >= 0) return;
    const SessionLock lock(memory_.header());
    if (!lock.held()) return;
    repair_if_needed(lock, table_);
    table_.count_at(birth.slot, cpu);
}

CpuMask ThreadPlacer::kept_mask(const Birth& birth) const {
    return memory_.header().bind == Bind::initial ? birth.inherited : CpuMask::only(birth.cpu);
}

void ThreadPlacer::ended(RecordSlot slot) {
    SharedRecord& record = table_.record(slot);
    record.last_cpu.store(sched_getcpu(), relaxed);
    if (record.migrations_at_birth.load(relaxed) >= 0) {
        record.migrations.store(read_migrations(record.pid.load(relaxed), record.tid.load(relaxed)), relaxed);
    }
    const std::uint64_t given = record.given_mask.load(relaxed);
    record.affinity_kept.store(given == CpuMask::of_thread(0).hash() ? 1 : 0, relaxed);
    record_own_name(record);
    const SessionLock lock(memory_.header());
    if (!lock.held()) return;
    repair_if_needed(lock, table_);
    table_.end(slot, session_time_ns());
}

}  // namespace pinwise
