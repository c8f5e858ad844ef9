#pragma once
/// trials.csv: one row per trial and metric. The columns are documented in results/README.md.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"
#include "runner/trial/trial.hpp"

namespace pinwise {

inline constexpr int results_schema_version = 1;

/// One row. Absent numbers are empty cells, explained in `reason`.
struct TrialRow {
    int schema = results_schema_version;
    int trial = 0;
    int repetition = 0;
    int position = 0;
    std::string workload;
    std::string parameters;  ///< "size=auto ntimes=10"
    int threads = 0;
    std::string cpus;  ///< as the config says it
    std::string mask;  ///< CPU list on this machine
    std::string policy;
    std::string bind;
    std::string memory = "first-touch";
    std::string migration = "none";
    std::string balance = "none";
    int arm = 1;          ///< 2: the control run once more
    std::string variant;  ///< what else makes the column, in the words of its source: "tip + pinning"; mostly ""
    std::string metric;
    std::optional<double> value;
    std::string unit;
    Better better = Better::higher;
    std::string status;  ///< "ok", "failed"
    std::string reason;
    std::string start_counts;
    std::optional<int> most_threads_on_one_cpu;
    std::optional<int> llcs_used;
    std::string first_cpu_means;
    std::optional<std::int64_t> migrations;
    std::string affinity_kept;  ///< "yes", "no", "" when not known
    std::string mem_policy;     ///< "ok", "denied(EPERM)", ...; "" in tables of before there were memory policies
    std::string labels;         ///< honesty labels, blanks between; "" where there is nothing to say
    std::optional<double> neighbour_before_ns;
    std::optional<double> neighbour_after_ns;
    std::optional<double> piled_up_s;
};

/// The workload's metrics, then wall, user and sys time. A failed trial has the three times only, all of them with its
/// status and reason.
std::vector<TrialRow> trial_rows(const TrialSpec& spec, const TrialResult& result);

/// "size=auto ntimes=10"
std::string format_parameters(const WorkloadParameters& parameters);

std::string trials_header();
std::string format_trial_rows(const std::vector<TrialRow>& rows);

struct TrialsTable {
    std::vector<TrialRow> rows;
    std::optional<int> torn_line;  ///< of a last line that a crash left incomplete; not among the rows
};

/// Takes a row, which is only valid during the call, and its line; an error ends the reading.
using TrialRowConsumer = std::function<Result<void>(const TrialRow& row, int line)>;

/// Reads trials.csv row by row, in the order of the file, without keeping it: for tables of any size. Returns the line
/// of a last line that a crash left incomplete, which is not among the rows. Errors as of parse_trials_csv().
Result<std::optional<int>> for_each_trial_row(std::string_view text, const std::string& file,
                                              const TrialRowConsumer& consume);

/// The whole table. Columns in any order, unknown ones skipped, newer ones (`memory`, `labels`, ...) may be missing;
/// any other missing column, a cell that is no number where one belongs, or another schema version is a usage error
/// `file:line: ...`.
Result<TrialsTable> parse_trials_csv(std::string_view text, const std::string& file);

}  // namespace pinwise
