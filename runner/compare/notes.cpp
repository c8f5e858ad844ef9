#include "runner/compare/notes.hpp"

#include <algorithm>
#include <cmath>

#include "runner/stats/outliers.hpp"
#include "runner/trial/runner_metrics.hpp"

namespace pinwise {
namespace {

using Notes = std::vector<std::string>;

std::string plural(int count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void note_baseline(const Comparison& comparison, Notes& notes) {
    const StrategyColumn& baseline = comparison.columns.front();
    const bool named = !baseline.file.empty() || !baseline.variant.empty();
    const bool alone = comparison.columns.size() < 2;
    if (named || alone || std::ranges::any_of(comparison.columns, is_control)) return;
    notes.push_back(
        fmt::format("no column is the OS default (policy os on all CPUs): the baseline is {}", name_of(baseline)));
}

/// On a small machine two masks can be the same CPUs: the columns then show the noise of the machine.
void note_twins(const Comparison& comparison, Notes& notes) {
    const auto& columns = comparison.columns;
    for (std::size_t a = 0; a < columns.size(); ++a) {
        for (std::size_t b = a + 1; b < columns.size(); ++b) {
            const bool same_but_for_names =
                columns[a].file == columns[b].file && !columns[a].mask.empty() &&
                columns[a].variant == columns[b].variant && columns[a].mask == columns[b].mask &&
                columns[a].policy == columns[b].policy && header_of(columns[a])[2] == header_of(columns[b])[2];
            if (same_but_for_names)
                notes.push_back(
                    fmt::format("columns {} and {} are the same strategy here (CPUs {}): their difference is noise",
                                a + 1, b + 1, columns[a].mask));
        }
    }
}

/// One note a column: "kind: column: part, part", of the parts that its cells have, `part_of(row, cell)`.
template <class PartOf>
void note_cells(std::string_view kind, const Comparison& comparison, Notes& notes, PartOf part_of) {
    for (std::size_t i = 0; i < comparison.columns.size(); ++i) {
        std::string parts;
        for (const MetricRow& row : comparison.rows)
            if (const std::string part = part_of(row, row.cells[i]); !part.empty())
                parts += fmt::format("{}{}", parts.empty() ? "" : "; ", part);
        if (!parts.empty()) notes.push_back(fmt::format("{}: {}: {}", kind, name_of(comparison.columns[i]), parts));
    }
}

std::string two_values_of(const MetricRow& row, const Cell& cell) {
    if (!cell.two_values) return {};
    const TwoValues& two = *cell.two_values;
    const bool probed = std::ranges::find(cell.value_states, MachineState::unknown) == cell.value_states.end();
    return fmt::format("{} {} {} ({}) and {} ({}){}", row.metric, number(two.low, decimals(row)), row.unit,
                       plural(two.low_count, "trial"), number(two.high, decimals(row)), plural(two.high_count, "trial"),
                       probed ? "" : ", no record says which is which");
}

std::string state_changes_of(const MetricRow& row, const Cell& cell, Rounding rounding) {
    if (is_runner_metric(row.metric)) return {};
    std::string changes;
    for (const StateChange& change : cell.state_changes) {
        if (!change.change_percent || std::min(change.trials, change.baseline_trials) < fewest_for_test) continue;
        changes += fmt::format("{}{} {}% ({} against {})", changes.empty() ? "" : ", ", to_string(change.state),
                               percent(*change.change_percent, rounding), change.trials,
                               plural(change.baseline_trials, "trial"));
    }
    return changes.empty() ? "" : fmt::format("{} {}", row.metric, changes);
}

std::string outliers_of(const MetricRow& row, const Cell& cell) {
    if (cell.outliers == 0 || cell.two_values) return {};
    return fmt::format("{} {} of {}", row.metric, cell.outliers, plural(static_cast<int>(cell.values.size()), "trial"));
}

std::string drift_of(const MetricRow& row, const Cell& cell) {
    constexpr double certain = 0.01;  // of many cells some drift by chance
    if (!cell.trend_p || *cell.trend_p > certain || !cell.drift_percent) return {};
    return fmt::format("{} {:+.2f}%", row.metric, *cell.drift_percent);
}

void note_not_in_turns(const Comparison& comparison, Notes& notes) {
    std::string columns;
    for (std::size_t i = 1; i < comparison.columns.size(); ++i) {
        const auto apart = [i](const MetricRow& row) { return !row.cells[i].interleaved; };
        if (std::ranges::any_of(comparison.rows, apart))
            columns += fmt::format("{}{}", columns.empty() ? "" : ", ", i + 1);
    }
    if (!columns.empty())
        notes.push_back(fmt::format(
            "not run in turns with the baseline: column {}; a machine that changed between them looks like a change",
            columns));
}

/// "1", or "1 (1..2)" where the trials differ.
template <class Number>
std::string with_range(std::optional<double> median, const std::pair<Number, Number>& range) {
    if (!median) return "not known";
    if (range.first == range.second) return fmt::format("{:g}", *median);
    return fmt::format("{:g} ({}..{})", *median, range.first, range.second);
}

}  // namespace

std::vector<std::string> notes_of(const Comparison& comparison, const TableOptions& options) {
    Notes notes;
    note_baseline(comparison, notes);
    note_twins(comparison, notes);
    if (comparison.repeated_values > 0)
        notes.push_back(
            fmt::format("{} in the input although the trial has one of that metric already: the first counts "
                        "(pinwise validate says where)",
                        plural(comparison.repeated_values, "value")));
    note_cells("two-valued, the mean is neither", comparison, notes, two_values_of);
    note_cells("like with like, by whether CPUs of one cache were neighbours", comparison, notes,
               [&](const MetricRow& row, const Cell& cell) { return state_changes_of(row, cell, options.rounding); });
    note_cells(fmt::format("outliers, modified Z-score beyond {:g}", outlier_score), comparison, notes, outliers_of);
    note_cells("drift from the first half of the trials to the second", comparison, notes, drift_of);
    note_not_in_turns(comparison, notes);
    return notes;
}

std::string placement_of(const StrategyColumn& column) {
    if (column.trials == column.failed) return "no finished trial";
    if (column.start_counts.empty()) return fmt::format("not known: {}", column.why_no_placement);
    const int finished = column.trials - column.failed;
    std::string text = fmt::format(
        "nodes {}{}, most threads on one CPU {}, LLCs used {}, migrations {}, first CPU from {}", column.start_counts,
        column.trials_with_start_counts == finished
            ? ""
            : fmt::format(" in {} of {}", column.trials_with_start_counts, finished),
        with_range(column.most_threads_on_one_cpu, column.most_threads_range),
        with_range(column.llcs_used, column.llcs_range), with_range(column.migrations, column.migrations_range),
        column.first_cpu_means);
    if (column.piled_up_range.second > 0)
        text += fmt::format(", on one CPU for at least {:.2f} s ({:.2f}..{:.2f})", *column.piled_up_s,
                            column.piled_up_range.first, column.piled_up_range.second);
    if (column.trials_affinity_not_kept > 0)
        text += fmt::format(", affinity not kept in {}", plural(column.trials_affinity_not_kept, "trial"));
    return text;
}

}  // namespace pinwise
