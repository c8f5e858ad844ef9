#pragma once
/// Where the threads of a trace started, how the node counts went on, and when they came to rest. Pure.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "placer/domain/domain_tree.hpp"
#include "placer/policy/plan.hpp"
#include "placer/result.hpp"
#include "placer/topology/machine.hpp"
#include "runner/sched_trace/trace_line.hpp"
#include "runner/sched_trace/trace_reader.hpp"

namespace pinwise {

/// Which threads count. With neither set: all.
struct ThreadFilter {
    std::string comm;  ///< a new thread has its creator's name; once known, a thread may rename itself
    int tid = 0;       ///< this thread and all that it creates, directly or not
};

/// How the first CPU of a thread is known.
enum class FirstCpuSource {
    wakeup_new,  ///< target_cpu of its sched_wakeup_new
    creator,     ///< it was there before: the CPU on which it created its first thread
    migration,   ///< it was there before and created none: where its first migration took it from
    agent,       ///< no trace: the first CPU that the thread itself saw
};
std::string_view to_string(FirstCpuSource source);

struct TracedThread {
    int tid = 0;
    std::string comm;
    int first_cpu = -1;
    FirstCpuSource source = FirstCpuSource::wakeup_new;
    int last_cpu = -1;                    ///< -1: not known
    std::optional<std::int64_t> born_ns;  ///< after the start; absent: it was there before
    std::int64_t migrations = 0;          ///< to another CPU, from the start on; -1: not known
    bool replaced = false;                ///< it has ended: a later thread got its number
};

/// Threads per node from a moment on.
struct NodeCounts {
    enum class Cause { creation, migration, stated };
    std::int64_t time_ns = 0;  ///< after the start
    std::vector<int> counts;   ///< as PlacementSummary::threads_per_node
    Cause cause = Cause::creation;
};

/// The start is the first creation of a thread or, in a trace without one, the first event. Migrations before it belong
/// to the launch and are not in the history.
struct PlacementHistory {
    std::vector<TracedThread> threads;  ///< in order of creation; the creator in front of those it creates
    std::int64_t created = 0;           ///< sched_wakeup_new events
    /// At the first CPUs of created and creating threads; absent: the trace has no creation.
    std::optional<PlacementSummary> initial;
    /// At the last CPUs of all threads but replaced ones; absent: migrations are elided.
    std::optional<PlacementSummary> last;
    std::int64_t migrations = 0;             ///< to another CPU, from the start on, those the trace shows
    std::int64_t elided_migrations = 0;      ///< more of them, left out by hand: whose and from where is not known
    std::optional<std::int64_t> across_llc;  ///< of these; absent: not known
    std::optional<std::int64_t> across_node;
    std::int64_t migrations_before_start = 0;
    /// Changes of the node counts. Threads created in a row are one change. Where remarks in the trace state the
    /// counts, they are these, because who writes remarks leaves events out.
    std::vector<NodeCounts> node_counts;
    std::int64_t node_counts_left_out = 0;  ///< more of them, before the last one
    /// Last migration, after the start; 0: none. Absent: not known.
    std::optional<std::int64_t> last_migration_ns;
    /// Threads that were found elsewhere than the events had left them: events are missing.
    std::int64_t contradictions = 0;
};

/// Most changes of node counts that are kept; the last one always is.
inline constexpr std::size_t max_node_counts = 10'000;

class HistoryBuilder {
public:
    /// `machine` must outlive the builder.
    HistoryBuilder(const Machine& machine, ThreadFilter filter);

    /// The next event. Error (usage): a CPU that the machine does not have, a remark that states other nodes.
    Result<void> add(const SchedEvent& event);
    /// Call once. `gaps`: of the whole trace.
    PlacementHistory finish(const TraceGaps& gaps);

private:
    [[nodiscard]] Result<void> check(const SchedEvent& event) const;
    void follow(const SchedEvent& creation);
    [[nodiscard]] bool selects(const SchedEvent& event) const;
    void forget(int tid);
    void add_creation(const SchedEvent& event);
    void add_migration(const SchedEvent& event);
    void begin(std::int64_t time_ns);
    void place_creator(const SchedEvent& event);
    TracedThread& add_thread(int tid, const std::string& comm, int cpu, FirstCpuSource source);
    void move(TracedThread& thread, int cpu);
    void note_counts(std::int64_t time_ns, NodeCounts::Cause cause, std::vector<int> counts);
    [[nodiscard]] std::size_t node_index(int cpu) const;

    const Machine& machine_;
    DomainTree tree_;
    ThreadFilter filter_;
    PlacementHistory history_;
    std::map<int, std::size_t> nodes_;   ///< OS index of a node (-1 none) -> its place in the counts
    std::map<int, std::size_t> by_tid_;  ///< the youngest thread of each tid
    std::set<int> followed_;             ///< filter_.tid and what it created, whatever their names
    std::vector<int> counts_;
    std::vector<NodeCounts> stated_;
    std::optional<NodeCounts> newest_left_out_;
    std::optional<std::int64_t> start_ns_;
    bool creation_seen_ = false;
};

}  // namespace pinwise
