#include "runner/report/answer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runner/compare/cells.hpp"
#include "runner/compare/node_matrix.hpp"

namespace pinwise::report {
namespace {

std::string threads_text(int threads) {
    return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

std::string trials_text(std::size_t trials) {
    return fmt::format("{} trial{}", trials, trials == 1 ? "" : "s");
}

/// "+47.3 %", "-0.2 %"
std::string signed_percent(double percent) {
    const std::string digits = number(percent, 1);
    return fmt::format("{}{} %", digits.starts_with('-') ? "" : "+", digits);
}

std::string unsigned_percent(double percent) {
    return fmt::format("{} %", number(std::fabs(percent), 1));
}

/// "Triad +47.3 % (95 % interval 44.1 to 50.2)"
std::string change_text(const MetricRow& row, const Cell& cell) {
    std::string text = fmt::format("{} {}", row.metric, signed_percent(*cell.change_percent));
    if (cell.change_interval)
        text += fmt::format(" (95 % interval {} to {})", number(cell.change_interval->low, 1),
                            number(cell.change_interval->high, 1));
    return text;
}

std::string change_sentence(const StrategyColumn& column, const MetricRow& row, const Cell& cell) {
    const std::string name = name_of(column);
    const std::string counts = fmt::format("{} against {}", row.cells.front().values.size(), cell.values.size());
    if (!cell.mean) return fmt::format("{}: no value of {} ({}).", name, row.metric, cell.why_no_mean);
    if (!cell.change_percent) return fmt::format("{}: no change can be given ({}).", name, cell.why_no_change);
    const std::string change = change_text(row, cell);
    switch (cell.verdict) {
        case Verdict::differs:
            return fmt::format("{}: {}, told apart from the baseline by {} trials.", name, change, counts);
        case Verdict::noise:
            return fmt::format("{}: {}, which cannot be told from noise ({} trials).", name, change, counts);
        case Verdict::drift:
            return fmt::format("{}: {}, but it did not run in turns with the baseline and the values drift.", name,
                               change);
        case Verdict::too_few:
            return fmt::format("{}: {}, but {} trials are too few to tell it from noise.", name, change, counts);
        case Verdict::none:
            break;
    }
    return fmt::format("{}: {}, not tested.", name, change);
}

/// The strategies that are told apart from the baseline, best first.
std::vector<std::size_t> told_apart(const MetricRow& row) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 1; i < row.cells.size(); ++i)
        if (row.cells[i].verdict == Verdict::differs && row.cells[i].change_percent) columns.push_back(i);
    std::ranges::stable_sort(columns, std::ranges::greater{},
                             [&](std::size_t i) { return *row.cells[i].change_percent; });
    return columns;
}

std::string headline_of(const Comparison& comparison, const MetricRow& row) {
    const std::string baseline = name_of(comparison.columns.front());
    if (!row.cells.front().mean)
        return fmt::format("No answer: the baseline, {}, has no value of {} ({}).", baseline, row.metric,
                           row.cells.front().why_no_mean);
    if (comparison.columns.size() == 1)
        return fmt::format("One strategy ran, {}: there is nothing to compare it with.", baseline);
    const auto columns = told_apart(row);
    if (columns.empty()) {
        const bool tested =
            std::ranges::any_of(row.cells, [](const Cell& cell) { return cell.verdict == Verdict::noise; });
        return tested ? fmt::format("No difference: no strategy can be told from {} in {}.", baseline, row.metric)
                      : fmt::format("No answer yet: too few trials to tell any strategy from {} in {}.", baseline,
                                    row.metric);
    }
    const Cell& best = row.cells[columns.front()];
    const std::string name = name_of(comparison.columns[columns.front()]);
    if (*best.change_percent > 0)
        return fmt::format("Largest gain: {}: {} against {}.", name, change_text(row, best), baseline);
    const Cell& worst = row.cells[columns.back()];
    return fmt::format("Nothing gains against {} in {}; largest loss: {}: {}.", baseline, row.metric,
                       name_of(comparison.columns[columns.back()]), change_text(row, worst));
}

/// ", and shared CPUs for at least 1.42 s"
std::string how_long(const StrategyPlacement& placement) {
    if (!placement.piled_up_s) return {};
    if (*placement.piled_up_s == 0) return ", and had CPUs of their own when they were first looked at";
    return fmt::format(", and shared CPUs for at least {:.2f} s", *placement.piled_up_s);
}

/// Where a strategy's threads started, as far as it is known.
std::string placement_sentence(const Comparison& comparison, const StrategyColumn& column,
                               const StrategyPlacement& placement) {
    const std::string name = name_of(column);
    if (!placement.cpus_used || !placement.fullest_cpu) return {};
    const std::string late = column.first_cpu_means.find("getcpu") == std::string::npos
                                 ? ""
                                 : ", as the threads saw it themselves, which is late and makes a pile-up look smaller";
    const std::string counts = fmt::format("{}{}", trials_text(static_cast<std::size_t>(placement.trials_known)), late);
    const std::string threads = threads_text(comparison.threads);
    if (*placement.fullest_cpu <= 1)
        return fmt::format("{}: {} started on {:g} CPUs, none on the CPU of another (median of {}).", name, threads,
                           *placement.cpus_used, counts);
    return fmt::format("{}: {} started on {:g} CPU{}, {:g} of them on one{} (median of {}).", name, threads,
                       *placement.cpus_used, *placement.cpus_used == 1 ? "" : "s", *placement.fullest_cpu,
                       how_long(placement), counts);
}

/// What remote memory costs, from the pairs that ran.
std::string matrix_headline(const NodeMatrix& matrix, const MetricRow& row) {
    std::optional<double> least;
    std::optional<double> most;
    for (std::size_t i = 0; i < matrix.cpu_nodes.size(); ++i) {
        const auto local = matrix.local_column(matrix.cpu_nodes[i]);
        if (!local || !row.cells[*local].mean || *row.cells[*local].mean == 0) continue;
        for (std::size_t j = 0; j < matrix.memory_nodes.size(); ++j) {
            const auto column = matrix.column(i, j);
            if (!column || *column == *local || !row.cells[*column].mean) continue;
            const double percent = 100 * *row.cells[*column].mean / *row.cells[*local].mean;
            least = std::min(least.value_or(percent), percent);
            most = std::max(most.value_or(percent), percent);
        }
    }
    if (!least) return "One node, or no pair of nodes with values: local and remote memory cannot be compared here.";
    return fmt::format(
        "{} with memory on another node is {:.0f} to {:.0f} % of what the same threads reach on their own.", row.metric,
        *least, *most);
}

Answer matrix_answer(const Comparison& comparison, const NodeMatrix& matrix, const MetricRow& row) {
    return {fmt::format("What do {} of {} on one node get from the memory of another?",
                        threads_text(comparison.threads), comparison.workload),
            matrix_headline(matrix, row),
            {}};
}

}  // namespace

const MetricRow* principal_metric(const Comparison& comparison) {
    if (comparison.rows.empty()) return nullptr;
    const auto triad = std::ranges::find(comparison.rows, "Triad", &MetricRow::metric);
    return triad != comparison.rows.end() ? &*triad : &comparison.rows.front();
}

Answer answer_of(const Comparison& comparison, std::span<const StrategyPlacement> placements,
                 std::string_view machine_kind) {
    const MetricRow* const row = principal_metric(comparison);
    const auto matrix = find_node_matrix(comparison);
    const bool emulated = machine_kind == "emulated";
    Answer answer;
    if (matrix && row != nullptr) {
        answer = matrix_answer(comparison, *matrix, *row);
    } else {
        answer.question =
            fmt::format("Where should {} of {} run, and how much is that worth against {}?",
                        threads_text(comparison.threads), comparison.workload, name_of(comparison.columns.front()));
        answer.headline = row != nullptr ? headline_of(comparison, *row) : "No answer: no trial has a value.";
        for (std::size_t i = 1; row != nullptr && !emulated && i < comparison.columns.size(); ++i)
            answer.sentences.push_back(change_sentence(comparison.columns[i], *row, row->cells[i]));
        if (row != nullptr && !emulated && row->control_again && row->control_again->change_percent)
            answer.sentences.push_back(
                fmt::format("Two arms of the baseline that differ in nothing are {} apart: what "
                            "is not larger is noise.",
                            unsigned_percent(*row->control_again->change_percent)));
        for (std::size_t i = 0; i < placements.size(); ++i)
            if (auto sentence = placement_sentence(comparison, comparison.columns[i], placements[i]); !sentence.empty())
                answer.sentences.push_back(std::move(sentence));
    }
    if (emulated)
        answer.headline =
            "An emulated machine: its times and rates are no measurement and answer nothing; placement and "
            "migrations are real.";
    return answer;
}

}  // namespace pinwise::report
