#include "runner/report/tables.hpp"

#include <algorithm>
#include <map>

#include "runner/compare/cells.hpp"

namespace pinwise::report {
namespace {

/// More trials than this are not listed one by one beside a strategy.
constexpr std::size_t most_listed_trials = 12;

Html number_cell(const std::string& text) {
    return html(R"(<td class="number">{}</td>)", text);
}

template <class Number>
std::string known(const std::optional<Number>& value) {
    return value ? fmt::format("{}", *value) : "-";
}

std::string seconds(std::optional<double> value) {
    return value ? number(*value, 2) : "-";
}

Html trial_link(const std::string& id, int trial) {
    return html(R"(<a href="#{}-t{}">{}</a>)", id, trial, trial);
}

/// A list that may be broken behind its commas only.
Html breakable(std::string_view list) {
    Html broken;
    while (!list.empty()) {
        const std::size_t length = std::min(list.find(','), list.size() - 1) + 1;
        broken += html("{}<wbr>", list.substr(0, length));
        list.remove_prefix(length);
    }
    return broken;
}

/// "1, 5, 9, ... 37"
Html trial_links(const std::vector<int>& trials, const std::string& id) {
    Html links;
    const bool all = trials.size() <= most_listed_trials;
    const std::size_t listed = all ? trials.size() : most_listed_trials - 1;
    for (std::size_t i = 0; i < listed; ++i)
        links += html("{}{}", i == 0 ? "" : ", ", trial_link(id, trials[i]));
    if (!all) links += html(" ... {}", trial_link(id, trials.back()));
    return links;
}

Html strategy_row(const StrategyColumn& column, const StrategyPlacement& placement, std::size_t i,
                  const std::string& id) {
    const std::string trials = column.failed > 0 ? fmt::format("{} ({} failed)", column.trials, column.failed)
                                                 : fmt::format("{}", column.trials);
    return html(
        R"(<tr><th scope="row">{}</th><td class="text">{}</td><td class="mask">{}</td>{}{}{}{}{}{}<td>{}</td><td class="text">{}</td></tr>)",
        strategy_letter(i), name_of(column), breakable(column.mask),
        number_cell(column.start_counts.empty() ? "-" : column.start_counts), number_cell(known(placement.cpus_used)),
        number_cell(known(column.most_threads_on_one_cpu)), number_cell(known(column.llcs_used)),
        number_cell(known(column.migrations)), number_cell(seconds(column.piled_up_s)), trials,
        trial_links(column.trial_numbers, id));
}

Html baseline_cell(const MetricRow& row) {
    if (!row.control_again || !row.control_again->change_percent) return html("<td>baseline</td>");
    return html("<td>A/A {} %</td>", number(*row.control_again->change_percent, 2));
}

Html change_cell(const Cell& cell) {
    if (!cell.change_percent) return html("<td>- ({})</td>", cell.why_no_change);
    const std::string change = number(*cell.change_percent, 2);
    const std::string text = fmt::format("{}{} %", change.starts_with('-') ? "" : "+", change);
    switch (cell.verdict) {
        case Verdict::noise:
            return html("<td>{} noise</td>", text);
        case Verdict::drift:
            return html("<td>{} drift</td>", text);
        case Verdict::too_few:
            return html("<td>{} too few trials</td>", text);
        default:
            return html(R"(<td class="{}">{}</td>)", *cell.change_percent > 0 ? "better" : "worse", text);
    }
}

Html interval_cell(const Cell& cell) {
    if (!cell.change_interval) return number_cell(cell.why_no_interval.empty() ? "-" : cell.why_no_interval);
    return number_cell(
        fmt::format("{} to {} %", number(cell.change_interval->low, 2), number(cell.change_interval->high, 2)));
}

Html metric_row(const MetricRow& row, std::size_t i) {
    const Cell& cell = row.cells[i];
    const int digits = decimals(row);
    const std::string mean = cell.mean ? number(*cell.mean, digits) : fmt::format("- ({})", cell.why_no_mean);
    const std::string variation = cell.coefficient_of_variation
                                      ? fmt::format("{} %", number(*cell.coefficient_of_variation, 2))
                                      : fmt::format("- ({})", cell.why_no_variation);
    const std::string range = cell.min && cell.max ? fmt::format("{:.6g} to {:.6g}", *cell.min, *cell.max) : "-";
    return html(R"(<tr><th scope="row">{}</th>{}{}{}{}{}{}</tr>)", strategy_letter(i), number_cell(mean),
                i == 0 ? baseline_cell(row) : change_cell(cell), interval_cell(cell), number_cell(variation),
                number_cell(range), number_cell(fmt::format("{}", cell.values.size())));
}

Html matrix_cell(const NodeMatrix& matrix, const MetricRow& row, std::size_t i, std::size_t j) {
    const auto column = matrix.column(i, j);
    if (!column) return html("<td>not run</td>");
    const Cell& cell = row.cells[*column];
    if (!cell.mean) return html("<td>- ({})</td>", cell.why_no_mean);
    const auto local = matrix.local_column(matrix.cpu_nodes[i]);
    const bool has_local = local && row.cells[*local].mean && *row.cells[*local].mean != 0;
    const std::string percent =
        has_local ? fmt::format(" ({:.0f} %)", 100 * *cell.mean / *row.cells[*local].mean) : std::string();
    return number_cell(number(*cell.mean, decimals(row)) + percent);
}

/// The values of one trial, metric by metric.
using ValuesOfTrial = std::map<std::string, const TrialRow*>;

Html trial_row(const ComparisonReport& report, const TrialRow& trial, const ValuesOfTrial& values, std::size_t column,
               const std::string& id) {
    Html cells;
    for (const MetricRow& row : report.comparison.rows) {
        const auto found = values.find(row.metric);
        const auto value = found == values.end() ? std::nullopt : found->second->value;
        cells += number_cell(value ? fmt::format("{:.7g}", *value) : "");
    }
    return html(
        R"(<tr id="{}-t{}"><th scope="row">{}</th><td>{}</td>{}<td>{}</td>{}<td>{}</td>{}{}{}{}<td>{}</td><td class="text">{}</td></tr>)",
        id, trial.trial, trial.trial, strategy_letter(column), number_cell(fmt::format("{}", trial.position)),
        trial.status, cells, trial.start_counts, number_cell(known(trial.most_threads_on_one_cpu)),
        number_cell(known(trial.llcs_used)), number_cell(known(trial.migrations)),
        number_cell(seconds(trial.piled_up_s)), trial.first_cpu_means, trial.reason);
}

Html trials_header(const Comparison& comparison) {
    Html metrics;
    for (const MetricRow& row : comparison.rows)
        metrics += html(R"(<th scope="col" class="number">{}, {}</th>)", row.metric, row.unit);
    return html(
        R"(<tr><th scope="col">Trial</th><th scope="col">Strategy</th><th scope="col" class="number">Order</th>)"
        R"(<th scope="col">Status</th>{}<th scope="col">Threads per node</th><th scope="col" class="number">Most on one CPU</th>)"
        R"(<th scope="col" class="number">LLCs</th><th scope="col" class="number">Migrations</th>)"
        R"(<th scope="col" class="number">Piled up, s</th><th scope="col">First CPU from</th><th scope="col">Reason or note</th></tr>)",
        metrics);
}

std::map<int, std::size_t> column_of_trial(const Comparison& comparison) {
    std::map<int, std::size_t> columns;
    for (std::size_t i = 0; i < comparison.columns.size(); ++i)
        for (const int trial : comparison.columns[i].trial_numbers)
            columns[trial] = i;
    return columns;
}

}  // namespace

Html strategies_table(const ComparisonReport& report, const std::string& id) {
    Html rows;
    for (std::size_t i = 0; i < report.comparison.columns.size(); ++i)
        rows += strategy_row(report.comparison.columns[i], report.placements[i], i, id);
    return scrolling(
        "Strategies",
        html(R"(<table><caption>Strategies, A is the baseline</caption>)"
             R"(<thead><tr><th scope="col"></th><th scope="col">Strategy</th><th scope="col">Mask</th>)"
             R"(<th scope="col" class="number">Threads per node</th><th scope="col" class="number">CPUs used</th>)"
             R"(<th scope="col" class="number">Most on one CPU</th><th scope="col" class="number">LLCs</th>)"
             R"(<th scope="col" class="number">Migrations</th><th scope="col" class="number">Piled up, s</th>)"
             R"(<th scope="col">Trials</th><th scope="col">Which</th></tr></thead>)"
             R"(<tbody>{}</tbody></table>)",
             rows));
}

Html metric_table(const Comparison& comparison, const MetricRow& row) {
    Html rows;
    for (std::size_t i = 0; i < comparison.columns.size(); ++i)
        rows += metric_row(row, i);
    return scrolling(
        row.metric,
        html(
            R"(<table><caption>{} in {}, {} mean</caption><thead><tr><th scope="col"></th>)"
            R"(<th scope="col" class="number">Mean</th><th scope="col">Change</th><th scope="col" class="number">95 % interval</th>)"
            R"(<th scope="col" class="number">CoeffVar</th><th scope="col" class="number">Least to most</th>)"
            R"(<th scope="col" class="number">Trials</th></tr></thead><tbody>{}</tbody></table>)",
            row.metric, row.unit, row.better == Better::higher ? "harmonic" : "arithmetic", rows));
}

Html matrix_table(const NodeMatrix& matrix, const MetricRow& row) {
    Html header;
    for (const int node : matrix.memory_nodes)
        header += html(R"(<th scope="col" class="number">memory {}</th>)", node);
    Html rows;
    for (std::size_t i = 0; i < matrix.cpu_nodes.size(); ++i) {
        Html cells;
        for (std::size_t j = 0; j < matrix.memory_nodes.size(); ++j)
            cells += matrix_cell(matrix, row, i, j);
        rows += html(R"(<tr><th scope="row">CPUs {}</th>{}</tr>)", matrix.cpu_nodes[i], cells);
    }
    return scrolling(
        row.metric,
        html(
            R"(<table><caption>{} in {} (% of local)</caption><thead><tr><th scope="col"></th>{}</tr></thead><tbody>{}</tbody></table>)",
            row.metric, row.unit, header, rows));
}

Html trials_table(const ComparisonReport& report, const std::string& id) {
    const auto columns = column_of_trial(report.comparison);
    Html rows;
    for (auto begin = report.trial_rows.begin(); begin != report.trial_rows.end();) {
        const TrialRow& trial = **begin;
        const auto end = std::find_if(begin, report.trial_rows.end(),
                                      [&](const TrialRow* row) { return row->trial != trial.trial; });
        ValuesOfTrial values;
        for (; begin != end; ++begin)
            values.emplace((*begin)->metric, *begin);
        rows += trial_row(report, trial, values, columns.at(trial.trial), id);
    }
    return scrolling(
        "Every trial",
        html(
            R"(<table><caption>Every trial; with all digits in trials.csv</caption><thead>{}</thead><tbody>{}</tbody></table>)",
            trials_header(report.comparison), rows));
}

Html threads_table(const ComparisonReport& report) {
    Html rows;
    for (std::size_t i = 0; i < report.placements.size(); ++i) {
        for (const ThreadRow* const thread : report.placements[i].threads)
            rows += html(R"(<tr><th scope="row">{}</th>{}{}<td>{}</td>{}{}{}{}{}</tr>)", strategy_letter(i),
                         number_cell(known(report.placements[i].shown_trial)),
                         number_cell(fmt::format("{}", thread->thread)), thread->name,
                         number_cell(known(thread->first_cpu)), number_cell(known(thread->first_node)),
                         number_cell(known(thread->first_llc)), number_cell(known(thread->last_cpu)),
                         number_cell(known(thread->migrations)));
    }
    if (rows.empty()) return {};
    return scrolling(
        "Threads of the trials shown",
        html(
            R"(<table><caption>Threads of the trials shown, as in threads.csv</caption><thead><tr><th scope="col">Strategy</th>)"
            R"(<th scope="col" class="number">Trial</th><th scope="col" class="number">Thread</th><th scope="col">Name</th>)"
            R"(<th scope="col" class="number">First CPU</th><th scope="col" class="number">Node</th>)"
            R"(<th scope="col" class="number">LLC</th><th scope="col" class="number">Last CPU</th>)"
            R"(<th scope="col" class="number">Migrations</th></tr></thead><tbody>{}</tbody></table>)",
            rows));
}

Html scrolling(const std::string& name, const Html& table) {
    return html(R"(<div class="scroll" role="region" tabindex="0" aria-label="{}">{}</div>)", name, table);
}

}  // namespace pinwise::report
