#include "placer/balance/session_balancer.hpp"

#include <algorithm>
#include <utility>

#include "placer/agent/session_lock.hpp"
#include "placer/relaxed.hpp"
#include "placer/topology/machine_image.hpp"

namespace pinwise {

namespace {

constexpr std::int64_t interval_per_cost = 20;

/// Nodes with CPUs of the session, and these CPUs.
std::map<int, CpuSet> session_nodes(const DomainTree& tree, const CpuMask& allowed) {
    std::map<int, CpuSet> nodes;
    for (const int cpu : (allowed.to_cpu_set() & tree.cpus()).to_vector())
        if (tree.node_of(cpu) >= 0) nodes[tree.node_of(cpu)].set(cpu);
    return nodes;
}

std::vector<int> cpu_counts(const DomainTree& tree, const CpuMask& allowed) {
    std::vector<int> counts;
    for (const auto& [node, cpus] : session_nodes(tree, allowed))
        counts.push_back(cpus.count());
    return counts;
}

}  // namespace

Result<std::unique_ptr<SessionBalancer>> SessionBalancer::create(SessionMemory memory, int cross_node_bal,
                                                                 TaskAccess access) {
    auto machine = decode_machine(memory.machine());
    if (!machine) return tl::unexpected(machine.error());
    return std::make_unique<SessionBalancer>(std::move(memory), DomainTree::build(*machine), cross_node_bal, access);
}

SessionBalancer::SessionBalancer(SessionMemory memory, DomainTree tree, int cross_node_bal, TaskAccess access)
    : memory_(std::move(memory)),
      tree_(std::move(tree)),
      kept_(tree_, memory_.header().bind),
      access_(access),
      cross_node_bal_(cross_node_bal),
      loads_(cpu_counts(tree_, memory_.header().allowed)) {
    for (auto& [node, cpus] : session_nodes(tree_, memory_.header().allowed)) {
        nodes_.push_back(node);
        cpus_of_node_.push_back(cpus);
    }
}

void SessionBalancer::round_if_due() {
    const std::int64_t now_ns = session_time_ns();
    if (now_ns - last_round_ns_ < std::max(balance_interval_ns, interval_per_cost * cost_ns_)) return;
    const std::int64_t start_ns = own_cpu_time_ns();
    round(now_ns);
    last_round_ns_ = now_ns;
    cost_ns_ = own_cpu_time_ns() - start_ns;
}

void SessionBalancer::round(std::int64_t now_ns) {
    if (nodes_.size() < 2) return;
    const SessionLock lock(memory_.header());
    if (!lock.held()) return;
    ThreadTable table(memory_);
    table.settle(lock);
    if (!bring_load_up_to_date(table, now_ns)) return;
    loads_.sample(running_per_node());
    const Candidates found = candidates(table, now_ns);
    for (const NodeMove& move : decide_moves(loads_, found.threads, cross_node_bal_)) {
        if (!carry_out(table, found.slots[move.position], move, now_ns)) continue;
        ++(move.reason == MoveReason::busiest ? left_ : returned_);
    }
}

/// False: nobody has looked since the last round, so nothing new is known.
bool SessionBalancer::bring_load_up_to_date(ThreadTable& table, std::int64_t now_ns) {
    refresh_load_if_due(memory_.header(), table, now_ns, access_.status);
    const std::int64_t refreshed_ns = memory_.header().refreshed_ns.load(relaxed);
    return std::exchange(seen_refresh_ns_, refreshed_ns) != refreshed_ns;
}

int SessionBalancer::load_of_cpu(int cpu) const {
    const auto position = static_cast<std::size_t>(cpu);
    const std::uint64_t threads = std::uint64_t{memory_.header().running[position].load(relaxed)} +
                                  memory_.header().others[position].load(relaxed);
    return static_cast<int>(std::min<std::uint64_t>(threads, max_session_threads));
}

std::vector<int> SessionBalancer::running_per_node() const {
    std::vector<int> running;
    for (const CpuSet& cpus : cpus_of_node_) {
        int sum = 0;
        for (const int cpu : cpus.to_vector())
            sum += load_of_cpu(cpu);
        running.push_back(sum);
    }
    return running;
}

int SessionBalancer::position_of_cpu(int cpu) const {
    for (std::size_t node = 0; node < cpus_of_node_.size(); ++node)
        if (cpus_of_node_[node].test(cpu)) return static_cast<int>(node);
    return -1;
}

/// Placed by the session, running, and not bound by the program itself.
bool SessionBalancer::is_managed(const SharedRecord& record) const {
    return record.state.load(std::memory_order_acquire) == RecordState::alive && record.tid.load(relaxed) != 0 &&
           record.own_affinity.load(relaxed) == 0 && position_of_cpu(record.asked_cpu.load(relaxed)) >= 0;
}

SessionBalancer::Held& SessionBalancer::held(const SharedRecord& record, std::int64_t now_ns) {
    const int home = position_of_cpu(record.asked_cpu.load(relaxed));
    const std::uint64_t given = record.given_mask.load(relaxed);
    const auto [found, is_new] =
        held_.try_emplace(record.index.load(relaxed),
                          Held{.home = home, .node = home, .since_ns = record.born_ns.load(relaxed), .given = given});
    Held& thread = found->second;
    // The session itself has put it back (a program that looked round its CPUs): it is where it was placed.
    if (!is_new && thread.given != given) thread = {.home = home, .node = home, .since_ns = now_ns, .given = given};
    return thread;
}

CpuSet SessionBalancer::nodes_within(const CpuMask& mask) const {
    CpuSet nodes;
    for (std::size_t node = 0; node < cpus_of_node_.size(); ++node) {
        const auto cpus = cpus_of_node_[node].to_vector();
        if (std::ranges::any_of(cpus, [&](int cpu) { return mask.test(cpu); })) nodes.set(static_cast<int>(node));
    }
    return nodes;
}

SessionBalancer::Candidates SessionBalancer::candidates(const ThreadTable& table, std::int64_t now_ns) {
    Candidates found;
    std::map<std::uint32_t, CpuSet> nodes_of_mask;  // programs have a handful of masks
    std::map<int, Held> still_there;
    for (int position = 0; position < table.live_count(); ++position) {
        const RecordSlot slot = table.live(position);
        const SharedRecord& record = table.record(slot);
        if (!is_managed(record)) continue;
        const Held& thread = held(record, now_ns);
        still_there.emplace(record.index.load(relaxed), thread);
        if (thread.is_foreign) continue;
        const auto [nodes, is_new] = nodes_of_mask.try_emplace(record.unbound_mask.load(relaxed));
        if (is_new) {
            const CpuMask* unbound = table.unbound_mask(slot);
            nodes->second = nodes_within(unbound != nullptr ? *unbound : memory_.header().allowed);
        }
        found.slots.push_back(slot);
        found.threads.push_back({.thread = record.index.load(relaxed),
                                 .home = thread.home,
                                 .node = thread.node,
                                 .runnable = record.counted_cpu.load(relaxed) >= 0,
                                 .settled = now_ns - thread.since_ns >= least_stay_ns,
                                 .nodes = nodes->second});
    }
    for (const auto& [index, thread] : held_)
        if (thread.node != thread.home && !still_there.contains(index)) ++ended_away_;
    held_ = std::move(still_there);
    return found;
}

int SessionBalancer::idlest_cpu(int node, const CpuMask& mask) const {
    int best = -1;
    for (const int cpu : cpus_of_node_[static_cast<std::size_t>(node)].to_vector()) {
        if (mask.test(cpu) && (best < 0 || load_of_cpu(cpu) < load_of_cpu(best))) best = cpu;
    }
    return best;
}

bool SessionBalancer::carry_out(ThreadTable& table, RecordSlot slot, const NodeMove& move, std::int64_t now_ns) {
    SharedRecord& record = table.record(slot);
    Held& thread = held_.at(record.index.load(relaxed));
    const CpuMask* remembered = table.unbound_mask(slot);
    CpuMask usable = memory_.header().allowed;
    if (remembered != nullptr) usable &= *remembered;
    const int cpu = move.to == thread.home ? record.asked_cpu.load(relaxed) : idlest_cpu(move.to, usable);
    if (cpu < 0) return false;
    const CpuMask mask = kept_.from(cpu, usable);
    if (!give(table, slot, mask)) {
        thread.is_foreign = true;
        return false;
    }
    thread.node = move.to;
    thread.since_ns = now_ns;
    thread.given = mask.hash();
    if (record.counted_cpu.load(relaxed) >= 0) table.count_at(slot, cpu);
    note(table, slot, move, cpu, now_ns);
    return true;
}

/// False: its affinity is not ours to set.
bool SessionBalancer::give(ThreadTable& table, RecordSlot slot, const CpuMask& mask) {
    SharedRecord& record = table.record(slot);
    const int tid = record.tid.load(relaxed);
    if (!was_given(record, access_.affinity(tid).hash())) return false;
    // In this order, so that the thread never finds an affinity that looks like somebody else's.
    const std::uint64_t before = record.given_mask.load(relaxed);
    record.given_before.store(before, relaxed);
    record.given_mask.store(mask.hash(), relaxed);
    if (!access_.set_affinity(tid, mask)) {
        record.given_mask.store(before, relaxed);
        return false;
    }
    if (record.own_affinity.load() == 0) return true;
    // The program set its own meanwhile, announced before it did: it wins.
    if (const CpuMask* wished = table.unbound_mask(slot)) static_cast<void>(access_.set_affinity(tid, *wished));
    return false;
}

void SessionBalancer::note(const ThreadTable& table, RecordSlot slot, const NodeMove& move, int cpu,
                           std::int64_t now_ns) {
    if (moves_.size() >= max_recorded_moves) return;
    const auto record = table.read(slot);
    if (!record) return;
    const auto node = [&](int position) { return nodes_[static_cast<std::size_t>(position)]; };
    moves_.push_back({.time_ns = now_ns,
                      .thread = record->index,
                      .pid = record->pid,
                      .tid = record->tid,
                      .name = record->name,
                      .home_node = node(held_.at(record->index).home),
                      .from_node = node(move.from),
                      .to_node = node(move.to),
                      .cpu = cpu,
                      .reason = move.reason,
                      .from = move.from_state,
                      .to = move.to_state});
}

BalanceSummary SessionBalancer::summary() const {
    const auto away =
        std::ranges::count_if(held_, [](const auto& entry) { return entry.second.node != entry.second.home; });
    return {.left = left_, .returned = returned_, .away = static_cast<int>(away) + ended_away_};
}

}  // namespace pinwise
