#include "placer/scan/granule_mover.hpp"

#include <algorithm>

#include <sys/resource.h>
#include <unistd.h>

#include "placer/relaxed.hpp"
#include "placer/scan/break_even.hpp"

namespace pinwise {

namespace {

constexpr std::size_t cells_per_node = 1024;
constexpr std::uint64_t batch_bytes = 2ULL << 20;
constexpr std::size_t folio_bytes = 2U << 20;  // transparent huge pages
constexpr double ns_per_s = 1e9;

std::vector<int> memory_nodes(const Machine& machine) {
    std::vector<int> nodes;
    const CpuSet with_memory = machine.memory_nodes();
    for (int node = with_memory.first(); node >= 0; node = with_memory.next(node))
        nodes.push_back(node);
    return nodes;
}

/// The distance table tells until more is known; without one remote memory is taken to be twice as far.
double access_ratio(const Machine& machine, int from, int to) {
    constexpr double unknown = 2;
    const auto local = machine.distances.between(to, to);
    const auto remote = machine.distances.between(to, from);
    return local && remote ? remote_over_local(*local, *remote) : unknown;
}

std::size_t place_of(const std::vector<int>& nodes, int node) {
    return static_cast<std::size_t>(std::ranges::find(nodes, node) - nodes.begin());
}

}  // namespace

GranuleMover::GranuleMover(SharedScan& shared, const Machine& machine, PageCalls& calls)
    : shared_(&shared),
      granule_bytes_(shared.settings.granule_bytes),
      nodes_(memory_nodes(machine)),
      mover_(calls, nodes_, folio_bytes),
      pacer_(PacingLimits{}) {
    for (const int to : nodes_) {
        auto target = std::make_unique<Target>();
        target->node = to;
        target->cells = std::make_unique<MoveQueue::Cell[]>(cells_per_node);  // NOLINT(modernize-avoid-c-arrays)
        target->queue.use({target->cells.get(), cells_per_node});
        targets_.push_back(std::move(target));
    }
    for (const int from : nodes_) {
        for (const int to : nodes_)
            remote_over_local_.push_back(access_ratio(machine, from, to));
    }
}

/// What a move costs is known after the first one, which is therefore made on trust.
bool GranuleMover::pays(const Wish& wish) const noexcept {
    const std::size_t from = place_of(nodes_, wish.from);
    const std::size_t to = place_of(nodes_, wish.to);
    if (from == nodes_.size() || to == nodes_.size()) return false;
    const MoveEconomy economy{.move_ns_per_byte = move_ns_per_byte_.load(relaxed),
                              .local_ns_per_byte = shared_->local_ns_per_byte,
                              .remote_over_local = remote_over_local_[from * nodes_.size() + to]};
    return worth_moving(economy, wish.revisit_ns, shared_->settings.horizon_s * ns_per_s);
}

void GranuleMover::wish(const Wish& wish) noexcept {
    if (!pays(wish)) {
        shared_->counters.add(ScanCounter::moves_not_worth);
        return;
    }
    Target& target = *targets_[place_of(nodes_, wish.to)];
    const bool queued = target.queue.push({.start = wish.granule.begin,
                                           .bytes = static_cast<std::uint32_t>(wish.granule.bytes()),
                                           .thread = wish.thread});
    if (queued) {
        waiting_bytes_.fetch_add(wish.granule.bytes(), relaxed);
    } else {
        shared_->counters.add(ScanCounter::moves_dropped);
    }
}

bool GranuleMover::batch_is_ready() const noexcept {
    return waiting_bytes_.load(relaxed) >= batch_bytes && !draining_.load(relaxed);
}

void GranuleMover::observe_pressure(std::uint64_t now_ns) noexcept {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    MovePressure pressure{.stalled_percent = {}, .page_faults = static_cast<std::uint64_t>(usage.ru_minflt)};
    constexpr double thousandths = 1000;
    if (const std::uint32_t stalled = shared_->stalled_plus_one.load(relaxed); stalled > 0)
        pressure.stalled_percent = (stalled - 1) / thousandths;
    pacer_.observe(pressure, now_ns);
}

void GranuleMover::drain(std::uint64_t now_ns, FaultWindow& faults) noexcept {
    if (waiting_bytes_.load(relaxed) == 0 || draining_.exchange(true, std::memory_order_acquire)) return;
    observe_pressure(now_ns);
    if (retry_full_nodes_.exchange(false, relaxed)) mover_.retry_full_nodes();
    for (const auto& target : targets_)
        move_some(*target, now_ns, faults);
    publish_ledger();
    draining_.store(false, std::memory_order_release);
}

void GranuleMover::move_some(Target& target, std::uint64_t now_ns, FaultWindow& faults) noexcept {
    while (mover_.state() == MoverState::working) {
        const std::uint64_t budget_bytes = pacer_.budget(now_ns);
        std::uint64_t bytes = 0;
        std::size_t count = 0;
        while (count < most_requests && bytes + granule_bytes_ <= budget_bytes) {
            const auto request = target.queue.pop();
            if (!request) break;
            bytes += request->bytes;
            requests_[count++] = *request;
        }
        if (count == 0) return;
        pacer_.take(bytes);
        waiting_bytes_.fetch_sub(bytes, relaxed);
        std::fill_n(outcomes_.begin(), count, MoveOutcome{});
        mover_.move({requests_.data(), count}, target.node, {outcomes_.data(), count});
        for (std::size_t i = 0; i < count; ++i)
            if (outcomes_[i].failed > 0) faults.count_failed(outcomes_[i].failed);
    }
}

/// What is new in the mover's ledger since the last time.
void GranuleMover::publish_ledger() noexcept {
    const MoveLedger& now = mover_.ledger();
    ScanCounters& counters = shared_->counters;
    counters.add(ScanCounter::move_pages_examined, now.examined - published_.examined);
    counters.add(ScanCounter::move_pages_local_already, now.local_already - published_.local_already);
    counters.add(ScanCounter::numa_pages_migrated, now.moved - published_.moved);
    counters.add(ScanCounter::move_pages_not_processed, now.not_processed - published_.not_processed);
    counters.add(ScanCounter::move_bytes, now.bytes_moved - published_.bytes_moved);
    std::uint64_t failed = 0;
    for (std::size_t error = 0; error < now.failed.size(); ++error) {
        const std::uint64_t more = now.failed[error] - published_.failed[error];
        if (more > 0) shared_->move_failures[error].fetch_add(more, relaxed);
        failed += more;
    }
    counters.add(ScanCounter::move_pages_failed, failed);
    if (now.moved > 0) move_ns_per_byte_.store(now.ns_per_page() / static_cast<double>(sysconf(_SC_PAGESIZE)), relaxed);
    published_ = now;
}

void GranuleMover::after_fork_in_child() noexcept {
    for (const auto& target : targets_)
        target->queue.reset();
    waiting_bytes_.store(0, relaxed);
    draining_.store(false, relaxed);
}

}  // namespace pinwise
