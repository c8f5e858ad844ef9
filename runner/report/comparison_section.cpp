#include "runner/report/comparison_section.hpp"

#include <algorithm>

#include "placer/topology/cpu_list.hpp"
#include "runner/compare/cells.hpp"
#include "runner/compare/notes.hpp"
#include "runner/report/placement_map.hpp"
#include "runner/report/plot.hpp"
#include "runner/report/tables.hpp"
#include "runner/trial/labels.hpp"
#include "runner/trial/runner_metrics.hpp"

namespace pinwise::report {
namespace {

/// Up to so many trials are shown at once; more are folded.
constexpr int most_unfolded_trials = 60;

enum class MetricGroup { workload, times, counters };

MetricGroup group_of(const MetricRow& row) {
    if (is_runner_metric(row.metric)) return MetricGroup::times;
    for (const std::string_view prefix : {"numa_", "vmstat_", "scan", "local_page_share"})
        if (row.metric.starts_with(prefix)) return MetricGroup::counters;
    return MetricGroup::workload;
}

Html figure(const std::optional<Plot>& plot, const Pictures& pictures) {
    if (!plot) return {};
    const auto picture = pictures.find(plot->file_name);
    if (picture == pictures.end()) return {};
    return html("<figure>{}</figure>", picture->second);
}

Html folded(std::string_view summary, const Html& content, bool open) {
    return html("<details{}><summary>{}</summary>{}</details>", Html::trusted(open ? " open" : ""), summary, content);
}

Html answer_block(const Answer& answer) {
    Html sentences;
    for (const std::string& sentence : answer.sentences)
        sentences += html("<li>{}</li>", sentence);
    return html(R"(<div class="answer"><p class="quiet">{}</p><p class="headline">{}</p>{}</div>)", answer.question,
                answer.headline, sentences.empty() ? Html() : html("<ul>{}</ul>", sentences));
}

/// "all trials", or "A 3 of 8 trials, C 4 of 4 trials".
std::string trials_with(std::string_view label, const Comparison& comparison) {
    bool all = true;
    std::string text;
    for (std::size_t i = 0; i < comparison.columns.size(); ++i) {
        const StrategyColumn& column = comparison.columns[i];
        const auto found = std::ranges::find(column.labels, label, &std::pair<std::string, int>::first);
        const int count = found == column.labels.end() ? 0 : found->second;
        all = all && count == column.trials;
        if (count > 0)
            text +=
                fmt::format("{}{} {} of {} trials", text.empty() ? "" : ", ", strategy_letter(i), count, column.trials);
    }
    return all ? "all trials" : text;
}

/// A line for each label, in order of first appearance.
Html label_lines(const Comparison& comparison) {
    std::vector<std::string_view> said;
    Html lines;
    for (const StrategyColumn& column : comparison.columns) {
        for (const auto& [label, count] : column.labels) {
            if (std::ranges::find(said, label) != said.end()) continue;
            said.emplace_back(label);
            const LabelInfo* const info = find_label(label);
            lines += html("<li><b>{}</b> ({}): {}</li>", label, trials_with(label, comparison),
                          info != nullptr ? info->meaning : "a label this program does not know");
        }
    }
    return lines;
}

Html remarks(const Comparison& comparison, const std::string& machine_kind) {
    Html items;
    for (const std::string& note : notes_of(comparison, {.machine_kind = machine_kind}))
        items += html("<li>{}</li>", note);
    items += label_lines(comparison);
    for (const StrategyColumn& column : comparison.columns) {
        for (const std::string& failed : column.failures)
            items += html("<li>Failed: {}: {}</li>", name_of(column), failed);
        for (const std::string& remark : column.remarks)
            items += html("<li>{}: {}</li>", name_of(column), remark);
    }
    return items.empty() ? Html() : html(R"(<div class="note"><ul>{}</ul></div>)", items);
}

/// Plot and table of every metric of a group.
Html metric_cards(const ComparisonReport& report, const Pictures& pictures, MetricGroup group) {
    Html cards;
    for (std::size_t i = 0; i < report.comparison.rows.size(); ++i) {
        const MetricRow& row = report.comparison.rows[i];
        if (group_of(row) != group) continue;
        cards += html(R"(<section class="card"><h4>{}</h4>{}{}</section>)", row.metric,
                      figure(report.trial_plots[i], pictures), metric_table(report.comparison, row));
    }
    return cards.empty() ? cards : html(R"(<div class="cards">{}</div>)", cards);
}

Html heat_maps(const ComparisonReport& report, const Pictures& pictures) {
    if (!report.matrix) return {};
    Html cards;
    const auto rows = matrix_metrics(report.comparison);
    for (std::size_t i = 0; i < rows.size(); ++i)
        cards += html(R"(<section class="card"><h4>{}</h4>{}{}</section>)", rows[i]->metric,
                      figure(report.heat_maps[i], pictures), matrix_table(*report.matrix, *rows[i]));
    return html(R"(<h3>Threads here, arrays there</h3><div class="cards">{}</div>)", cards);
}

std::string map_caption(const StrategyColumn& column, const StrategyPlacement& placement, std::size_t i) {
    return fmt::format("{}: {}, trial {}{}", strategy_letter(i), name_of(column), *placement.shown_trial,
                       column.start_counts.empty() ? "" : fmt::format(", {}", column.start_counts));
}

Html maps(const ResultsData& data, const ComparisonReport& report) {
    if (!data.machine) return {};
    Html all;
    for (std::size_t i = 0; i < report.placements.size(); ++i) {
        const StrategyColumn& column = report.comparison.columns[i];
        if (!report.placements[i].shown_trial) continue;
        const auto mask = parse_cpu_list(column.mask);
        const std::string caption = map_caption(column, report.placements[i], i);
        all += html(R"(<figure><figcaption>{}</figcaption>{}</figure>)", caption,
                    placement_map(*data.machine, mask ? CpuSet::of(*mask) : data.machine->online,
                                  report.placements[i].threads, caption));
    }
    if (all.empty()) return {};
    return html(
        R"(<h3>Where the threads started</h3><p class="quiet">One trial of each strategy: the first with the counts per node seen )"
        R"(most often.</p>{}{}{})",
        placement_legend(), all, folded("Threads of these trials", threads_table(report), false));
}

Html over_time(const ComparisonReport& report, const Pictures& pictures) {
    Html cards;
    for (const Plot& plot : report.over_time)
        if (const Html picture = figure(plot, pictures); !picture.empty())
            cards += html(R"(<section class="card"><h4>{}</h4>{}</section>)", plot.title, picture);
    return cards.empty()
               ? cards
               : html(R"(<h3>Over time</h3><p class="quiet">A line is the median over a strategy's trials, the )"
                      R"(band around it reaches from the least to the most.</p><div class="small cards">{}</div>)",
                      cards);
}

Html dots_explained() {
    return html(
        R"(<p class="quiet">A dot is a trial; in each row the upper ones ran earlier. Below them the mean as a tick, and its )"
        R"(95 % interval.</p>)");
}

Html headed(std::string_view title, const Html& content) {
    return content.empty() ? content : html("<h3>{}</h3>{}", title, content);
}

int trials_of(const Comparison& comparison) {
    int trials = 0;
    for (const StrategyColumn& column : comparison.columns)
        trials += column.trials;
    return trials;
}

}  // namespace

Html comparison_section(const ResultsData& data, const ComparisonReport& report, const Pictures& pictures,
                        const std::string& id) {
    const Comparison& comparison = report.comparison;
    const int trials = trials_of(comparison);
    const Html workload = metric_cards(report, pictures, MetricGroup::workload);
    return html(
        R"(<section><h2 id="{}">{}, {} thread{}</h2><p class="quiet">{}</p>{}{}{}{}{}{}{}{}{}{}</section>)", id,
        comparison.workload, comparison.threads, comparison.threads == 1 ? "" : "s", comparison.parameters,
        answer_block(report.answer), heat_maps(report, pictures),
        report.matrix ? folded("Strategies", strategies_table(report, id), false) : strategies_table(report, id),
        remarks(comparison, data.machine_kind),
        report.matrix ? folded("Every trial as a dot", workload, false)
                      : headed("Measured", workload.empty() ? workload : dots_explained() + workload),
        maps(data, report), over_time(report, pictures),
        headed("Time of the process", metric_cards(report, pictures, MetricGroup::times)),
        headed("Page scanning and migration", metric_cards(report, pictures, MetricGroup::counters)),
        folded(fmt::format("Every trial as a row ({})", trials), trials_table(report, id),
               trials <= most_unfolded_trials));
}

}  // namespace pinwise::report
