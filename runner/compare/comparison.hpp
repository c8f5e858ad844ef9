#pragma once
/// From rows of trials to what is compared: one column per strategy or file, the first the baseline. Pure.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "placer/result.hpp"
#include "runner/compare/collector.hpp"
#include "runner/compare/grouping.hpp"
#include "runner/record/trials_csv.hpp"
#include "runner/stats/bootstrap.hpp"
#include "runner/stats/two_valued.hpp"

namespace pinwise {

/// What may be said of a change against the baseline.
enum class Verdict : std::uint8_t {
    none,     ///< nothing to compare: the baseline itself, or an empty cell
    differs,  ///< told apart from the baseline by the rank test, and larger than what the control changes by itself
    noise,    ///< not told apart, or no larger than that
    drift,    ///< told apart, but the two did not run in turns and the values drift: the machine may have changed
    too_few,  ///< fewer than `fewest_for_test` trials on a side
};

std::string_view to_string(Verdict verdict);

/// The rank test cannot reach its level with fewer values a side: 3 against 3 gives 0.1 at best, 4 against 4 0.029.
inline constexpr int fewest_for_test = 4;
/// Two-sided level of the rank test, for each cell by itself.
inline constexpr double test_level = 0.05;
/// Two-sided level at which values are said to drift.
inline constexpr double drift_level = 0.05;

/// A change among the trials of one state of the machine only: like with like.
struct StateChange {
    MachineState state = MachineState::unknown;
    int baseline_trials = 0;
    int trials = 0;
    std::optional<double> change_percent;  ///< positive is better
};

/// All finished trials of one column, for one metric.
struct Cell {
    std::vector<double> values;
    std::vector<int> value_trials;     ///< number of the trial of each value
    std::vector<int> value_positions;  ///< its place in the order the trials of its file ran in
    std::vector<MachineState> value_states;
    int failed = 0;                                  ///< trials that failed, not among the values
    std::optional<double> mean;                      ///< harmonic for rates, arithmetic for times
    std::optional<double> coefficient_of_variation;  ///< percent
    std::optional<double> median;
    std::optional<double> min;
    std::optional<double> max;
    int outliers = 0;                         ///< values whose modified Z-score is beyond outlier_score
    std::optional<TwoValues> two_values;      ///< where the sample is two
    std::optional<double> trend_p;            ///< of a trend in the order the trials ran in
    std::optional<double> drift_percent;      ///< from the first half of the trials to the second
    std::optional<double> change_percent;     ///< positive is better
    std::optional<Interval> change_interval;  ///< of change_percent, interval_level, positive is better
    std::optional<double> p_value;            ///< like with like where the states are known and differ
    bool interleaved = true;                  ///< with the baseline: the two ran in turns
    std::vector<StateChange> state_changes;   ///< where the machine's states are known and differ
    Verdict verdict = Verdict::none;
    std::string why_no_mean;       ///< "3 failed", "no trial"
    std::string why_no_variation;  ///< "1 trial"
    std::string why_no_change;     ///< "no baseline", "baseline 0"
    std::string why_no_interval;   ///< "2 trials"
};

struct MetricRow {
    std::string metric;
    std::string unit;
    Better better = Better::higher;
    std::vector<Cell> cells;  ///< one per column
    /// The second arm of the baseline, compared with the first: its change is the noise floor, what changes by itself.
    std::optional<Cell> control_again = {};
};

/// The trials of a column, and their placement: medians and ranges, and the start counts seen most often.
struct StrategyColumn {
    std::string file;  ///< "" where columns are not told apart by file
    std::string variant;
    std::string cpus;  ///< this and the following as the first of the trials has them
    std::string mask;
    std::string policy;
    std::string bind;
    std::string memory = "first-touch";
    std::string migration = "none";
    std::string balance = "none";
    std::vector<std::string> also;  ///< what else tells this column apart: "threads 8"
    bool strategies_differ = true;  ///< false where the columns of a table differ in the file only
    int trials = 0;
    int failed = 0;
    std::vector<int> trial_numbers;  ///< of all its trials, failed ones included, ascending
    std::string start_counts;
    int trials_with_start_counts = 0;
    std::optional<double> most_threads_on_one_cpu;
    std::optional<double> llcs_used;
    std::optional<double> migrations;
    std::optional<double> piled_up_s;        ///< at least so long, see piled_up_s() (pile_up.hpp)
    std::pair<int, int> most_threads_range;  ///< least and most of the trials
    std::pair<int, int> llcs_range;          ///< the same
    std::pair<std::int64_t, std::int64_t> migrations_range;
    std::pair<double, double> piled_up_range;
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
    std::string strategy;  ///< of all columns, where they differ in the file only
    std::vector<StrategyColumn> columns;
    std::vector<MetricRow> rows;  ///< the workload's metrics, then wall, user, sys
    int repeated_values = 0;      ///< values of a metric that its trial had already: they are left out
};

struct ComparisonOptions {
    Grouping grouping = columns_are_strategies();
    std::string baseline = {};              ///< names a column (find_column()); "": the first
    std::vector<std::string> metrics = {};  ///< shell patterns; none: all metrics
    bool intervals = true;                  ///< false: leave out the intervals, which are most of the work
};

/// The comparisons of collected cases, in their order. Usage errors: a baseline that names no column or several of a
/// table, metric patterns that match no metric.
Result<std::vector<Comparison>> compare(std::vector<CollectedCase> cases, std::span<const std::string> files,
                                        const ComparisonOptions& options);

/// One comparison per workload, parameters and thread count, in order of the trials' numbers, as are the columns.
std::vector<Comparison> compare(std::span<const TrialRow> rows, bool intervals = true);

/// Change against the baseline in percent of the baseline, positive when better. Absent when the baseline is 0.
std::optional<double> change_percent(double baseline, double value, Better better);

/// The noise floor of a row: what the control changes by itself, in percent; absent without a second arm.
std::optional<double> noise_floor_percent(const MetricRow& row);

}  // namespace pinwise
