#include "runner/trial/placement_facts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace pinwise {
namespace {

void add_reason(std::string& missing, std::string_view what, std::string_view why) {
    missing += fmt::format("{}{}: {}", missing.empty() ? "" : "; ", what, why);
}

/// "{4}{4}"; threads on CPUs that belong to no node follow as "+1".
std::string format_start_counts(const Machine& machine, const std::vector<const Pu*>& first) {
    std::string text;
    for (const Node& node : machine.nodes) {
        if (node.cpus.empty()) continue;
        text += fmt::format("{{{}}}",
                            std::ranges::count_if(first, [&](const Pu* pu) { return pu->node == node.os_index; }));
    }
    const auto homeless = std::ranges::count_if(first, [](const Pu* pu) { return !pu->node.has_value(); });
    if (homeless > 0) text += fmt::format("+{}", homeless);
    return text;
}

/// The initial thread is where exec left it, which its first getcpu tells exactly; so the created threads decide.
FirstCpuMeans least_exact_means(std::span<const ThreadRecord> threads) {
    FirstCpuMeans least = FirstCpuMeans::agent;
    for (const ThreadRecord& thread : threads) {
        const bool initial = thread.pid == thread.tid && threads.size() > 1;
        if (!initial) least = std::max(least, thread.first_cpu_means);
    }
    return least;
}

void add_first_cpus(const Machine& machine, std::span<const ThreadRecord> threads, PlacementFacts& facts) {
    std::vector<const Pu*> first;
    std::map<int, int> threads_on_cpu;
    std::set<int> llcs;
    for (const ThreadRecord& thread : threads) {
        const Pu* const pu = machine.pu(thread.first_cpu);
        if (pu == nullptr || thread.first_cpu_means == FirstCpuMeans::unknown) {
            add_reason(facts.missing, "placement at start", fmt::format("first CPU of thread {} unknown", thread.tid));
            return;
        }
        first.push_back(pu);
        ++threads_on_cpu[pu->os_index];
        llcs.insert(pu->llc);
    }
    facts.start_counts = format_start_counts(machine, first);
    facts.most_threads_on_one_cpu =
        std::ranges::max_element(threads_on_cpu, {}, [](const auto& each) { return each.second; })->second;
    facts.llcs_used = static_cast<int>(llcs.size());
    facts.means = least_exact_means(threads);
}

}  // namespace

std::vector<ThreadRecord> worker_threads(std::vector<ThreadRecord> records, std::span<const WorkloadThread> named) {
    if (named.empty()) return records;
    const auto is_worker = [&](const ThreadRecord& record) {
        return std::ranges::find(named, record.tid, &WorkloadThread::tid) != named.end();
    };
    std::vector<ThreadRecord> workers;
    std::ranges::copy_if(records, std::back_inserter(workers), is_worker);
    if (!workers.empty()) return workers;
    for (const WorkloadThread& each : named) {
        ThreadRecord seen;
        seen.index = static_cast<int>(workers.size());
        seen.tid = each.tid;
        seen.first_cpu = each.first_cpu;
        seen.first_cpu_means = each.first_cpu < 0 ? FirstCpuMeans::unknown : FirstCpuMeans::getcpu;
        seen.last_cpu = each.last_cpu;
        workers.push_back(seen);
    }
    return workers;
}

void apply_wakeups(std::span<const SchedEvent> events, std::vector<ThreadRecord>& threads) {
    for (ThreadRecord& thread : threads) {
        const bool known_better =
            thread.first_cpu_means == FirstCpuMeans::agent || thread.first_cpu_means == FirstCpuMeans::tracepoint;
        if (known_better || thread.tid == thread.pid) continue;
        const auto birth = std::ranges::find_if(events, [&thread](const SchedEvent& event) {
            return event.kind == SchedEvent::Kind::new_thread && event.tid == thread.tid;
        });
        if (birth == events.end()) continue;
        thread.first_cpu = birth->cpu;
        thread.first_cpu_means = FirstCpuMeans::tracepoint;
    }
}

PlacementFacts placement_facts(const Machine& machine, std::span<const ThreadRecord> threads) {
    PlacementFacts facts;
    if (threads.empty()) {
        add_reason(facts.missing, "placement", "no thread was recorded");
        return facts;
    }
    add_first_cpus(machine, threads, facts);
    if (std::ranges::any_of(threads, [](const ThreadRecord& thread) { return thread.migrations < 0; })) {
        add_reason(facts.missing, "migrations", "not known for every thread");
    } else {
        facts.migrations = 0;
        for (const ThreadRecord& thread : threads)
            *facts.migrations += thread.migrations;
    }
    if (std::ranges::any_of(threads, [](const ThreadRecord& thread) { return thread.got_count == 0; })) {
        add_reason(facts.missing, "affinity", "could not be read back");
    } else {
        facts.affinity_kept = std::ranges::all_of(threads, &ThreadRecord::affinity_kept);
    }
    return facts;
}

}  // namespace pinwise
