#include "placer/agent/thread_placer.hpp"

#include <algorithm>
#include <array>

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "placer/agent/load_refresh.hpp"
#include "placer/agent/session_lock.hpp"
#include "placer/policy/home_cpu.hpp"
#include "placer/policy/policies.hpp"
#include "placer/relaxed.hpp"
#include "placer/topology/machine_image.hpp"

namespace pinwise {

namespace {

constexpr std::uint64_t max_counted_per_cpu = max_session_threads;

// Counting migrations: about three hundred threads at once, and one in twenty parts of the time in the long run.
constexpr std::int64_t counting_credit_ns = 25'000'000;
constexpr std::int64_t counting_share = 20;
constexpr std::int64_t counting_looks = 3;  // at birth, at the end, and what the kernel must clean up behind us

/// How long a thread's affinity is taken to be still the one the session gave it, unless the program sets it through
/// us: `taskset -p` from outside is noticed after that.
constexpr std::int64_t affinity_look_interval_ns = 1'000'000;

void record_own_name(SharedRecord& record) {
    std::array<char, 16> name{};
    if (prctl(PR_GET_NAME, name.data()) == 0) store_name(record, name.data());
}

void copy_name(const SharedRecord& from, SharedRecord& to) {
    for (std::size_t part = 0; part < from.name.size(); ++part)
        to.name[part].store(from.name[part].load(relaxed), relaxed);
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
      allowed_mask_(CpuMask::of(allowed_)),
      kept_(tree_, memory_.header().bind) {}

std::optional<Birth> ThreadPlacer::begin_thread(const Creator& creator, const CpuMask* own_mask) {
    return begin(creator, own_mask, true);
}

std::optional<Birth> ThreadPlacer::begin_process(const Creator& creator) {
    return begin(creator, nullptr, false);
}

std::optional<Birth> ThreadPlacer::begin(const Creator& creator, const CpuMask* own_mask, bool creator_runs_on) {
    const SessionLock lock(memory_.header());
    if (!lock.held()) return std::nullopt;
    table_.settle(lock);
    const std::int64_t now_ns = session_time_ns();
    if (policy_->places_threads()) bring_load_up_to_date(creator, now_ns);
    const auto slot = table_.add(creator.pid, now_ns);
    if (!slot) return std::nullopt;
    SharedRecord& record = table_.record(*slot);
    const bool force = memory_.header().force != 0;
    const auto made_by = maker(creator, creator_runs_on);
    Birth birth{.slot = *slot, .inherited = inherited_mask(creator, made_by)};
    if (own_mask != nullptr && !(force && policy_->places_threads())) {
        respect(birth, *own_mask);
        return birth;
    }
    record.unbound_mask.store(own_mask != nullptr ? table_.remember_mask(*own_mask) : unbound_mask(made_by, birth),
                              relaxed);
    record.overridden.store(own_mask != nullptr ? 1 : 0, relaxed);
    if (creator.slot) copy_name(table_.record(*creator.slot), record);
    record.inherited_mask.store(table_.remember_mask(birth.inherited), relaxed);
    if (!policy_->places_threads()) return birth;
    if (creator_runs_on && is_left_to_kernel(creator.pid)) {
        birth.skipped = true;
    } else {
        const int position = record.index.load(relaxed) - memory_.header().threads_skipped.load(relaxed);
        birth.cpu = choose(creator, made_by, birth.inherited, position, creator_runs_on);
        record.asked_cpu.store(birth.cpu, relaxed);
        table_.count_at(*slot, birth.cpu);
    }
    birth.needs_inherited = birth.cpu < 0 && !(creator.mask && birth.inherited == *creator.mask);
    return birth;
}

void ThreadPlacer::respect(Birth& birth, const CpuMask& own_mask) {
    birth.inherited = own_mask;
    table_.record(birth.slot).own_affinity.store(1, relaxed);
    // On one CPU it can be counted at once; otherwise when it has started and is somewhere.
    if (policy_->places_threads() && own_mask.count() == 1) table_.count_at(birth.slot, own_mask.first());
}

bool ThreadPlacer::is_left_to_kernel(int pid) {
    if (memory_.header().skipped_births == 0) return false;
    int& skipped = skipped_births_[pid];
    if (skipped >= memory_.header().skipped_births) return false;
    ++skipped;
    memory_.header().threads_skipped.fetch_add(1, relaxed);
    return true;
}

/// The record whose affinity a new thread or process inherits.
std::optional<RecordSlot> ThreadPlacer::maker(const Creator& creator, bool creator_runs_on) const {
    if (creator_runs_on) return creator.slot;
    if (creator.forked_by) return creator.forked_by;
    return creator.mask ? table_.find_given(creator.parent_pid, creator.mask->hash()) : std::nullopt;
}

/// What the thread would have inherited: everything the session may use, unless the program itself has changed the
/// creator's affinity since (taskset, an OpenMP runtime that binds), which is its wish and respected.
CpuMask ThreadPlacer::inherited_mask(const Creator& creator, std::optional<RecordSlot> maker) const {
    const bool forced = memory_.header().force != 0 && policy_->places_threads();
    if (forced) return allowed_mask_;
    const CpuMask* unbound = maker ? table_.unbound_mask(*maker) : nullptr;
    if (!creator.mask) return unbound != nullptr ? *unbound : allowed_mask_;
    const CpuMask& mask = *creator.mask;
    if (mask.empty() || mask == allowed_mask_) return allowed_mask_;
    if (unbound == nullptr) return mask;
    const SharedRecord& record = table_.record(*maker);
    const bool ours = record.own_affinity.load(relaxed) == 0 && was_given(record, mask.hash());
    return ours ? *unbound : mask;
}

/// With --force that may be another mask than the one that is respected: what the program believes to have set.
std::uint32_t ThreadPlacer::unbound_mask(std::optional<RecordSlot> maker, const Birth& birth) {
    if (memory_.header().force != 0 && maker) return table_.record(*maker).unbound_mask.load(relaxed);
    return table_.remember_mask(birth.inherited);
}

/// Whoever forks is taken to wait for its child, as those who start jobs do: N jobs then land as N threads would.
int ThreadPlacer::choose(const Creator& creator, std::optional<RecordSlot> maker, const CpuMask& inherited, int index,
                         bool creator_runs_on) {
    const bool narrowed = !(inherited == allowed_mask_);
    const CpuSet within = narrowed ? inherited.to_cpu_set() & allowed_ : CpuSet{};
    const CpuSet& allowed = narrowed ? within : allowed_;
    if (allowed.empty()) return -1;
    const int waker = known_cpu(creator.waker);
    const bool count_creator = creator_runs_on && !maker;
    const int waiting_cpu = creator_runs_on || !maker ? -1 : counted_cpu(*maker);
    if (count_creator) load_.add(waker);
    if (waiting_cpu >= 0) load_.remove(waiting_cpu);
    const PlacementQuery query{.tree = tree_, .load = load_, .allowed = allowed, .waker = waker, .thread_index = index};
    int cpu = policy_->select(query, nullptr);
    if (const int percent = memory_.header().cross_node_bal; percent != 0)
        cpu = home_cpu(query, allowed_, cpu, percent);
    if (count_creator) load_.remove(waker);
    if (waiting_cpu >= 0) load_.add(waiting_cpu);
    return allowed.test(cpu) ? cpu : -1;
}

/// Where the load has the thread; -1: nowhere.
int ThreadPlacer::counted_cpu(RecordSlot slot) const {
    const int cpu = table_.record(slot).counted_cpu.load(relaxed);
    return cpu >= 0 && cpu < tree_.cpu_limit() && load_.nr_running(cpu) > 0 ? cpu : -1;
}

/// The policies know online CPUs of the machine only; an isolated or new CPU is replaced by one they know.
int ThreadPlacer::known_cpu(int cpu) const {
    return tree_.cpus().test(cpu) ? cpu : allowed_.first();
}

void ThreadPlacer::bring_load_up_to_date(const Creator& creator, std::int64_t now_ns) {
    SessionHeader& header = memory_.header();
    refresh_load_if_due(header, table_, now_ns);
    if (creator.slot) table_.count_at(*creator.slot, creator.waker);
    if (load_pid_ != creator.pid) {
        load_.reset();
        load_pid_ = creator.pid;
    }
    const int limit = std::min(tree_.cpu_limit(), max_session_cpus);
    for (int cpu = 0; cpu < limit; ++cpu) {
        const auto position = static_cast<std::size_t>(cpu);
        const std::uint64_t shared =
            std::uint64_t{header.running[position].load(relaxed)} + header.others[position].load(relaxed);
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
    table_.settle(lock);
    const auto own = table_.find(pid, pid);
    if (!own) return std::nullopt;
    for (int position = table_.live_count() - 1; position >= 0; --position) {
        const RecordSlot slot = table_.live(position);
        if (slot != *own && table_.record(slot).pid.load(relaxed) == pid) table_.end(slot, 0);
    }
    record_own_name(table_.record(*own));
    return own;
}

void ThreadPlacer::take_back(const Birth& birth) {
    const SessionLock lock(memory_.header());
    if (!lock.held()) return;
    table_.settle(lock);
    table_.take_back(birth.slot);
    if (!birth.skipped) return;
    --skipped_births_[table_.record(birth.slot).pid.load(relaxed)];
    memory_.header().threads_skipped.fetch_sub(1, relaxed);
}

std::uint32_t ThreadPlacer::program_sets_affinity(RecordSlot slot, const CpuMask& mask) {
    const SessionLock lock(memory_.header());
    SharedRecord& record = table_.record(slot);
    const std::uint32_t previous = record.unbound_mask.load(relaxed);
    if (lock.held()) {
        table_.settle(lock);
        record.unbound_mask.store(table_.remember_mask(mask), relaxed);
    }
    record.own_affinity.fetch_add(1);
    return previous;
}

void ThreadPlacer::set_failed(RecordSlot slot, std::uint32_t previous) {
    table_.record(slot).own_affinity.fetch_sub(1);
    table_.record(slot).unbound_mask.store(previous, relaxed);
}

bool ThreadPlacer::returns_to_session(RecordSlot slot, const CpuMask& mask) {
    SharedRecord& record = table_.record(slot);
    const int cpu = record.asked_cpu.load(relaxed);
    const int tid = record.tid.load(relaxed);
    const CpuMask* inherited = table_.inherited_mask(slot);
    if (memory_.header().bind == Bind::initial || cpu < 0 || tid == 0 || inherited == nullptr) return false;
    CpuMask usable = mask;
    usable &= CpuMask::of(tree_.cpus());
    if (!(usable == *inherited)) return false;
    const CpuMask kept = kept_.from(cpu, *inherited);
    if (!kept.apply_to(tid)) return false;
    record.given_mask.store(kept.hash(), relaxed);
    record.unbound_mask.store(record.inherited_mask.load(relaxed), relaxed);
    record.own_affinity.store(0);
    return true;
}

std::optional<bool> ThreadPlacer::override_affinity(RecordSlot slot, const CpuMask& mask) {
    SharedRecord& record = table_.record(slot);
    if (memory_.header().force == 0 || record.asked_cpu.load(relaxed) < 0) return std::nullopt;
    CpuMask usable = mask;
    usable &= CpuMask::of(tree_.cpus());
    if (usable.empty()) return false;
    const SessionLock lock(memory_.header());
    if (!lock.held()) return true;
    table_.settle(lock);
    record.unbound_mask.store(table_.remember_mask(mask), relaxed);
    record.overridden.fetch_add(1, relaxed);
    return true;
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

std::optional<CpuMask> ThreadPlacer::changed_affinity(std::optional<RecordSlot> slot) {
    if (!slot) return CpuMask::of_thread(0);
    SharedRecord& record = table_.record(*slot);
    const bool is_ours = record.own_affinity.load(relaxed) == 0 && table_.unbound_mask(*slot) != nullptr;
    const std::int64_t now_ns = session_time_ns();
    if (is_ours && now_ns - record.given_seen_ns.load(relaxed) < affinity_look_interval_ns) return std::nullopt;
    const CpuMask mask = CpuMask::of_thread(0);
    if (!is_ours || !was_given(record, mask.hash())) return mask;
    record.given_seen_ns.store(now_ns, relaxed);
    return std::nullopt;
}

void ThreadPlacer::started(const Birth& birth, int tid) {
    SharedRecord& record = table_.record(birth.slot);
    const int cpu = sched_getcpu();
    const CpuMask ours = birth.cpu >= 0 ? CpuMask::only(birth.cpu) : CpuMask{};
    // What was accepted and is obeyed need not be read back.
    const bool obeying = birth.accepted && cpu == birth.cpu;
    const CpuMask got = obeying ? ours : CpuMask::of_thread(0);
    record.got_count.store(got.count(), relaxed);
    record.got_cpu.store(got.first(), relaxed);
    record.first_cpu.store(cpu, relaxed);
    record.last_cpu.store(cpu, relaxed);
    const bool obeyed = birth.cpu >= 0 && got == ours;
    record.first_cpu_means.store(obeyed ? FirstCpuMeans::agent : FirstCpuMeans::getcpu, relaxed);
    start_counting_migrations(record, tid);
    // Its creator's name, until it is looked at or ends.
    if (record.name[0].load(relaxed) == 0) record_own_name(record);
    record.tid.store(tid, relaxed);
    record.state.store(RecordState::alive, std::memory_order_release);
    record.given_mask.store(got.hash(), relaxed);
    record.given_seen_ns.store(session_time_ns(), relaxed);
    if (obeyed) bind(birth, got);
    if (birth.cpu >= 0 || !policy_->places_threads() || record.counted_cpu.load(relaxed) >= 0) return;
    const SessionLock lock(memory_.header());
    if (!lock.held()) return;
    table_.settle(lock);
    table_.count_at(birth.slot, cpu);
}

CpuMask ThreadPlacer::kept_mask(const Birth& birth) const {
    return kept_.from(birth.cpu, birth.inherited);
}

/// An affinity that the program sets from outside meanwhile wins: it was announced before it was set.
void ThreadPlacer::bind(const Birth& birth, const CpuMask& got) {
    SharedRecord& record = table_.record(birth.slot);
    const CpuMask kept = kept_mask(birth);
    if (kept == got || record.own_affinity.load() != 0 || !kept.apply_to(0)) return;
    record.given_mask.store(kept.hash(), relaxed);
    if (record.own_affinity.load() == 0) return;
    // Refused: nothing is left to do.
    if (const CpuMask* wished = table_.unbound_mask(birth.slot)) static_cast<void>(wished->apply_to(0));
}

void ThreadPlacer::ended(RecordSlot slot) {
    SharedRecord& record = table_.record(slot);
    record.last_cpu.store(sched_getcpu(), relaxed);
    if (record.migrations_at_birth.load(relaxed) >= 0) {
        record.migrations.store(read_migrations(record.pid.load(relaxed), record.tid.load(relaxed)), relaxed);
    }
    const auto changed = changed_affinity(slot);
    const bool kept = !changed || was_given(record, changed->hash());
    record.affinity_kept.store(kept ? 1 : 0, relaxed);
    record_own_name(record);
    table_.leave(slot, session_time_ns());
}

}  // namespace pinwise
