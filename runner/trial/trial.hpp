#pragma once
/// One run of one workload under one strategy, and everything measured of it. Plain data.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/agent/thread_record.hpp"
#include "placer/balance/balance_move.hpp"
#include "placer/memory/memory_policy.hpp"
#include "placer/scan/scan_counters.hpp"
#include "placer/topology/cpu_set.hpp"
#include "runner/config/external_workload.hpp"
#include "runner/output/metric.hpp"
#include "runner/trial/workload_commands.hpp"

namespace pinwise {

/// What is compared: the mask, who decides where threads start, what holds them there afterwards, where pages go, and
/// who moves pages and threads later.
struct Strategy {
    std::string cpus;                    ///< as the config says it: "one-per-llc"
    CpuSet mask;                         ///< the same on this machine, for the threads of the trial
    std::string policy;                  ///< "os" is the control
    std::string bind;                    ///< "initial", "cpu", "llc", "node"; "none" for policy os
    std::string memory = "first-touch";  ///< as the config says it
    MemoryPolicy memory_here = {};       ///< the same with the nodes of this machine
    std::string migration = "none";      ///< one of migration_words (strategy_words.hpp)
    std::string balance = "none";        ///< as the config says it: parse_balance()
    int arm = 1;                         ///< 2: the first strategy once more, to see what changes by itself
};

struct TrialSpec {
    int trial = 0;       ///< 1-based, independent of the order: by repetition, then case, then strategy
    int repetition = 0;  ///< 1-based
    int position = 0;    ///< 1-based place in the order the trials run in
    std::string workload;
    WorkloadParameters parameters;
    int threads = 0;
    Strategy strategy;
    double timeout_s = 0;
    std::optional<ExternalWorkload> external = {};  ///< of workload "external"
};

enum class TrialStatus : std::uint8_t {
    ok,
    failed,       ///< `reason` says why
    interrupted,  ///< the user ended the run: not a result, never recorded
};

/// What a reader of a trial's numbers must know; words and meanings are in labels.hpp.
enum class Label : std::uint8_t {
    emulated_machine,
    one_node,
    stream_variant,
    unverified,
    small_arrays,
    above_peak,
    binding_not_kept,
    memory_policy_not_kept,
    busy_at_start,
    busy,
    cpu_stolen,
    throttled,
    kernel_balancing,
    topology_moved,
};

/// Where the workload's threads started. Absent numbers have their reason in `missing`.
struct PlacementFacts {
    std::string start_counts;  ///< "{4}{4}": threads per CPU node in ascending node number, at their first CPUs
    std::optional<int> most_threads_on_one_cpu;
    std::optional<int> llcs_used;
    FirstCpuMeans means = FirstCpuMeans::unknown;  ///< the least exact one among the threads that were created
    std::optional<std::int64_t> migrations;        ///< of all threads together
    std::optional<bool> affinity_kept;             ///< false: some thread's mask was changed behind the session's back
    std::string missing;                           ///< "migrations: this kernel does not tell"
    /// How long threads shared CPUs at least, see piled_up_s() (pile_up.hpp); absent where nobody looked in time.
    std::optional<double> piled_up_s = {};
};

/// Where one of the workload's threads spent its time, as the workload knows it.
struct ThreadTimes {
    int tid = 0;
    double user_s = 0;
    std::string means;             ///< how the times on the nodes became known: the workload's word for it
    std::map<int, double> node_s;  ///< seconds by node
};

/// Of the pages that the workload's threads use, those on the nodes they run on, in percent.
struct LocalShares {
    double start = 0;  ///< when all was touched and nothing timed
    double end = 0;
};

struct TrialResult {
    TrialStatus status = TrialStatus::ok;
    std::string reason;            ///< of a failure: "crashed(SIGSEGV)", "timeout(60 s)", "exit 3: ..."
    std::optional<double> wall_s;  ///< CLOCK_MONOTONIC from before the start to the end of the workload's first process
    std::optional<double> user_s;  ///< of the workload's processes (wait4)
    std::optional<double> sys_s;
    std::vector<Metric> metrics;  ///< the workload's own
    std::vector<ThreadRecord> threads;
    std::vector<ThreadTimes> thread_times;  ///< of those threads that the workload follows
    std::string mem_policy;                 ///< what the kernel made of the memory policy, see to_string(MemoryAnswer)
    PlacementFacts start;
    std::optional<BalanceRecord> balance;  ///< where a balancer was at work
    std::vector<std::string> notes;        ///< reductions and oddities worth a line, for example processes left behind
    std::vector<Label> labels;             ///< see labels.hpp
    bool verified = true;                  ///< false: the workload cannot check its own result
    std::optional<double> llc_ratio;       ///< size of one array over that of the last-level caches, where it says so
    std::optional<double> neighbour_before_ns;  ///< slowest cache-line exchange of CPUs said to share an LLC
    std::optional<double> neighbour_after_ns;   ///< the same after the trial
    std::optional<ScanTotals> scan;             ///< of our page-migration scanner, where it was asked for
    std::vector<Metric> migration;              ///< what page migration did (migration_metrics.hpp)
    std::optional<LocalShares> local_shares;    ///< where the workload tells
    std::optional<bool> kernel_balancing;       ///< the kernel's NUMA balancing, where the run decides on it
};

/// A failure with its reason.
TrialResult failed_trial(std::string reason);

}  // namespace pinwise
