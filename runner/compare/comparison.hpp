#pragma once
/// From rows of trials to what is compared: one column per strategy, the first the baseline. Pure.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runner/record/trials_csv.hpp"

namespace pinwise {

/// What may be said of a change against the baseline.
enum class Verdict : std::uint8_t {
    none,     ///< nothing to compare: the baseline itself, or an empty cell
    differs,  ///< told apart from the baseline by the rank test
    noise,    ///< not told apart
    too_few,  ///< fewer than `fewest_for_test` trials on a side
};

/// The rank test cannot reach its level with fewer values a side: 3 against 3 gives 0.1 at best, 4 against 4 0.029.
inline constexpr int fewest_for_test = 4;
/// Two-sided level of the rank test, for each cell by itself.
inline constexpr double test_level = 0.05;

/// All finished trials of one strategy, for one metric.
struct Cell {
    std::vector<double> values;
    std::vector<int> value_trials;                   ///< number of the trial of each value
    int failed = 0;                                  ///< trials that failed, not among the values
    std::optional<double> mean;                      ///< harmonic for rates, arithmetic for times
    std::optional<double> coefficient_of_variation;  ///< percent
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> change_percent;  ///< positive is better
    std::optional<double> p_value;
    Verdict verdict = Verdict::none;
    std::string why_no_mean;       ///< "3 failed", "no trial"
    std::string why_no_variation;  ///< "1 trial"
    std::string why_no_change;     ///< "no baseline", "baseline is 0"
};

struct MetricRow {
    std::string metric;
    std::string unit;
    Better better = Better::higher;
    std::vector<Cell> cells;  ///< one per column
};

/// A strategy, and the placement of its trials: medians, and the start counts seen most often.
struct StrategyColumn {
    std::string cpus;
    std::string mask;
    std::string policy;
    std::string bind;
    std::string memory = "first-touch";
    std::string migration = "none";
    std::string balance = "none";
    int trials = 0;
    int failed = 0;
    std::vector<int> trial_numbers;  ///< of all its trials, failed ones included, ascending
    std::string start_counts;
    int trials_with_start_counts = 0;
    std::optional<double> most_threads_on_one_cpu;
    std::optional<double> llcs_used;
    std::optional<double> migrations;
    std::string first_cpu_means;  ///< every means that occurs, "+" between them
    int trials_affinity_not_kept = 0;
    std::string why_no_placement;                     ///< reason of the first trial without it
    std::vector<std::pair<std::string, int>> labels;  ///< honesty labels (labels.hpp), and how many trials have each
    std::vector<std::string> remarks;                 ///< distinct reasons of finished trials, as `failures`
    std::vector<std::string> failures;  ///< distinct reasons, in order, with their number: "timeout(60 s) (2 trials)"
};

struct Comparison {
    std::string workload;
    std::string parameters;
    int threads = 0;
    std::vector<StrategyColumn> columns;
    std::vector<MetricRow> rows;  ///< the workload's metrics, then wall, user, sys
};

/// One comparison per workload, parameters and thread count, in order of the trials' numbers, as are the columns.
std::vector<Comparison> compare(std::span<const TrialRow> rows);

/// Change against the baseline in percent of the baseline, positive when better. Absent when the baseline is 0.
std::optional<double> change_percent(double baseline, double value, Better better);

}  // namespace pinwise
