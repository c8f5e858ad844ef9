#include "runner/sched_trace/placement_history.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "placer/topology/cpu_list.hpp"

namespace pinwise {

std::string_view to_string(FirstCpuSource source) {
    switch (source) {
        case FirstCpuSource::wakeup_new:
            return "sched_wakeup_new";
        case FirstCpuSource::creator:
            return "creator";
        case FirstCpuSource::migration:
            return "first migration";
        case FirstCpuSource::agent:
            return "getcpu";
    }
    return "";
}

HistoryBuilder::HistoryBuilder(const Machine& machine, ThreadFilter filter)
    : machine_(machine), tree_(DomainTree::build(machine)), filter_(std::move(filter)) {
    // The order of PlacementSummary: CPUs in no node come last.
    constexpr int behind_all = std::numeric_limits<int>::max();
    std::map<int, std::size_t> order;
    for (const Pu& pu : machine.pus)
        order.try_emplace(pu.node.value_or(behind_all), 0);
    for (const auto& [node, unused] : order)
        nodes_.emplace(node == behind_all ? -1 : node, nodes_.size());
    counts_.resize(nodes_.size());
    if (filter_.tid != 0) followed_.insert(filter_.tid);
    history_.across_llc = 0;
    history_.across_node = 0;
    history_.last_migration_ns = 0;
}

std::size_t HistoryBuilder::node_index(int cpu) const {
    return nodes_.at(tree_.node_of(cpu));
}

Result<void> HistoryBuilder::check(const SchedEvent& event) const {
    const bool is_new = event.kind == SchedEvent::Kind::new_thread;
    for (const int cpu : {event.cpu, event.from_cpu, is_new ? event.running_cpu : -1}) {
        if (cpu < 0 || machine_.online.test(cpu)) continue;
        return usage_error(
            fmt::format("CPU {} {} ({}, CPUs {}): say with --topology which machine the trace is of", cpu,
                        machine_.offline.test(cpu) ? "is offline on this machine" : "is not of this machine",
                        machine_.source, format_cpu_list(machine_.online)));
    }
    if (!event.stated_counts.empty() && event.stated_counts.size() != counts_.size())
        return usage_error(fmt::format("the remark {} is of {} nodes, the machine ({}) has CPUs in {}",
                                       format_node_counts(event.stated_counts), event.stated_counts.size(),
                                       machine_.source, counts_.size()));
    return {};
}

void HistoryBuilder::follow(const SchedEvent& creation) {
    if (filter_.tid == 0) return;
    if (creation.tid == filter_.tid || followed_.contains(creation.running_tid)) {
        followed_.insert(creation.tid);
    } else {
        followed_.erase(creation.tid);
    }
}

bool HistoryBuilder::selects(const SchedEvent& event) const {
    if (event.kind == SchedEvent::Kind::migration && by_tid_.contains(event.tid)) return true;
    if (filter_.tid != 0 && !followed_.contains(event.tid)) return false;
    return filter_.comm.empty() || event.comm == filter_.comm;
}

/// A number that is used again: its former owner has ended.
void HistoryBuilder::forget(int tid) {
    const auto former = by_tid_.find(tid);
    if (former == by_tid_.end()) return;
    TracedThread& ended = history_.threads[former->second];
    ended.replaced = true;
    --counts_[node_index(ended.last_cpu)];
    by_tid_.erase(former);
}

Result<void> HistoryBuilder::add(const SchedEvent& event) {
    const bool is_new = event.kind == SchedEvent::Kind::new_thread;
    if (is_new) {
        follow(event);
        forget(event.tid);
    }
    if (!selects(event)) return {};
    if (auto checked = check(event); !checked) return checked;
    if (!start_ns_) start_ns_ = event.time_ns;
    if (is_new) {
        add_creation(event);
    } else {
        add_migration(event);
    }
    if (!event.stated_counts.empty())
        stated_.push_back({event.time_ns - *start_ns_, event.stated_counts, NodeCounts::Cause::stated});
    return {};
}

/// What came before the first creation is no part of the story; where the threads are by now is.
void HistoryBuilder::begin(std::int64_t time_ns) {
    creation_seen_ = true;
    start_ns_ = time_ns;
    history_.migrations_before_start = std::exchange(history_.migrations, 0);
    history_.across_llc = 0;
    history_.across_node = 0;
    history_.last_migration_ns = 0;
    history_.node_counts.clear();
    history_.node_counts_left_out = 0;
    newest_left_out_.reset();
    stated_.clear();
    for (TracedThread& thread : history_.threads) {
        thread.migrations = 0;
        thread.first_cpu = thread.last_cpu;
    }
}

TracedThread& HistoryBuilder::add_thread(int tid, const std::string& comm, int cpu, FirstCpuSource source) {
    by_tid_[tid] = history_.threads.size();
    ++counts_[node_index(cpu)];
    return history_.threads.emplace_back(
        TracedThread{.tid = tid, .comm = comm, .first_cpu = cpu, .source = source, .last_cpu = cpu, .born_ns = {}});
}

void HistoryBuilder::move(TracedThread& thread, int cpu) {
    --counts_[node_index(thread.last_cpu)];
    ++counts_[node_index(cpu)];
    thread.last_cpu = cpu;
}

/// The creator runs where the line says.
void HistoryBuilder::place_creator(const SchedEvent& event) {
    if (event.running_tid <= 0 || event.running_cpu < 0) return;
    const auto known = by_tid_.find(event.running_tid);
    if (known == by_tid_.end()) {
        add_thread(event.running_tid, event.comm, event.running_cpu, FirstCpuSource::creator);
        return;
    }
    TracedThread& creator = history_.threads[known->second];
    if (creator.last_cpu != event.running_cpu) {
        ++history_.contradictions;
        move(creator, event.running_cpu);
    }
    // What it did before it created threads, its own launch for one, is not where the program starts.
    const bool is_root = event.running_tid == filter_.tid && !creator.born_ns;
    if (is_root || creator.source == FirstCpuSource::migration) {
        if (creator.source != FirstCpuSource::creator) {
            creator.first_cpu = event.running_cpu;
            creator.comm = event.comm;  // exec may have changed it
        }
        creator.source = FirstCpuSource::creator;
    }
}

void HistoryBuilder::add_creation(const SchedEvent& event) {
    if (filter_.tid != 0 && event.tid == filter_.tid) {
        add_thread(event.tid, event.comm, event.cpu, FirstCpuSource::wakeup_new);
        return;
    }
    if (!creation_seen_) begin(event.time_ns);
    place_creator(event);
    add_thread(event.tid, event.comm, event.cpu, FirstCpuSource::wakeup_new).born_ns = event.time_ns - *start_ns_;
    ++history_.created;
    note_counts(event.time_ns - *start_ns_, NodeCounts::Cause::creation, counts_);
}

void HistoryBuilder::add_migration(const SchedEvent& event) {
    auto known = by_tid_.find(event.tid);
    if (known == by_tid_.end()) {
        add_thread(event.tid, event.comm, event.from_cpu, FirstCpuSource::migration);
        known = by_tid_.find(event.tid);
        note_counts(event.time_ns - *start_ns_, NodeCounts::Cause::creation, counts_);
    }
    TracedThread& thread = history_.threads[known->second];
    if (thread.last_cpu != event.from_cpu) {
        ++history_.contradictions;
        move(thread, event.from_cpu);
    }
    if (event.cpu == event.from_cpu) return;
    move(thread, event.cpu);
    ++thread.migrations;
    ++history_.migrations;
    *history_.across_llc += tree_.llc_of(event.cpu) != tree_.llc_of(event.from_cpu) ? 1 : 0;
    *history_.across_node += tree_.node_of(event.cpu) != tree_.node_of(event.from_cpu) ? 1 : 0;
    history_.last_migration_ns = std::max(*history_.last_migration_ns, event.time_ns - *start_ns_);
    note_counts(event.time_ns - *start_ns_, NodeCounts::Cause::migration, counts_);
}

void HistoryBuilder::note_counts(std::int64_t time_ns, NodeCounts::Cause cause, std::vector<int> counts) {
    std::vector<NodeCounts>& rows = history_.node_counts;
    const NodeCounts* const before = newest_left_out_ ? &*newest_left_out_ : rows.empty() ? nullptr : &rows.back();
    if (before != nullptr && before->counts == counts) return;
    NodeCounts row{time_ns, std::move(counts), cause};
    const bool goes_on = before != nullptr && before->cause == cause && cause == NodeCounts::Cause::creation;
    if (newest_left_out_ || (rows.size() == max_node_counts && !goes_on)) {
        history_.node_counts_left_out += newest_left_out_ && !goes_on ? 1 : 0;
        newest_left_out_ = std::move(row);
    } else if (goes_on) {
        rows.back() = std::move(row);
    } else {
        rows.push_back(std::move(row));
    }
}

PlacementHistory HistoryBuilder::finish(const TraceGaps& gaps) {
    if (newest_left_out_) history_.node_counts.push_back(*std::exchange(newest_left_out_, {}));
    if (!stated_.empty()) {
        history_.node_counts = std::move(stated_);
        history_.node_counts_left_out = 0;
    }
    std::vector<int> first;
    std::vector<int> last;
    for (const TracedThread& thread : history_.threads) {
        if (thread.source != FirstCpuSource::migration) first.push_back(thread.first_cpu);
        if (!thread.replaced) last.push_back(thread.last_cpu);
    }
    if (!first.empty()) history_.initial = summarize(tree_, first);
    history_.last = summarize(tree_, last);
    history_.elided_migrations = gaps.elided_migrations;
    if (gaps.elided_migrations > 0) {
        history_.last.reset();
        for (TracedThread& thread : history_.threads) {
            thread.last_cpu = -1;
            thread.migrations = -1;
        }
    }
    return std::move(history_);
}

}  // namespace pinwise
