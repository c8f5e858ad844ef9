#pragma once
/// Honesty labels: what a reader of a trial's numbers must know, as words that tables and scripts can look for. Pure.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/trial/trial.hpp"

namespace pinwise {

/// A label's word and what it says of the trials that have it.
struct LabelInfo {
    Label label;
    std::string_view word;
    std::string_view meaning;
};

/// Every label there is, in the order in which they are written.
std::span<const LabelInfo> label_infos();

std::string_view to_string(Label label);

/// The words of a cell `labels`: "one-node busy".
std::vector<std::string_view> label_words(std::string_view labels);

/// nullptr when no label has that word.
const LabelInfo* find_label(std::string_view word);

/// What is known of machine and host around one trial. Absent: not known, and then no label is given for it.
struct LabelFacts {
    std::string machine_kind = {};  ///< "physical", "virtual", "emulated"; "" when not known
    int cpu_nodes = 0;              ///< NUMA nodes with CPUs that may be used; 0: not known
    bool kernel_balancing = false;
    bool busy_at_start = false;  ///< when the run started, see is_busy()
    std::optional<double> peak_gb_per_s = {};
    std::optional<double> others_cpu_share = {};  ///< of the time of the trial's CPUs, used by other programs
    std::optional<double> stolen_cpu_share = {};  ///< of the same time, taken by the hypervisor
    std::optional<std::int64_t> throttle_events = {};
};

/// STREAM's rule: each array at least so many times the last-level caches.
inline constexpr double least_llc_ratio = 4.0;
/// Other programs, or the hypervisor, took more than this share of the CPUs.
inline constexpr double most_lost_cpu_share = 0.05;
/// A cache line goes between CPUs of one last-level cache in 20 to 80 ns on every machine we know of, and between two
/// of them in 100 ns or more. In one direction.
inline constexpr double slowest_neighbour_ns = 100.0;
/// The pair got so many times slower or faster during the trial.
inline constexpr double neighbour_change = 2.0;

/// A host that has work of its own: more than 0.5 or a tenth of its CPUs runnable in the last minute on average, or
/// somebody waiting for a CPU for more than 10 % of the last ten seconds. Absent values do not speak for it.
bool is_busy(std::optional<double> load_1_min, std::optional<double> cpu_pressure_percent, int cpus);

/// Whether CPUs that are said to share a last-level cache do not, or did not all the time.
bool topology_moved(std::optional<double> before_ns, std::optional<double> after_ns);

/// The labels of one trial, in the order of label_infos().
std::vector<Label> labels_of(const TrialSpec& spec, const TrialResult& result, const LabelFacts& facts);

}  // namespace pinwise
