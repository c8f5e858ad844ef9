#include "runner/report/page.hpp"

#include "runner/report/comparison_section.hpp"
#include "runner/report/page_style.hpp"
#include "runner/report/report.hpp"
#include "runner/report/tables.hpp"

namespace pinwise::report {
namespace {

std::string comparison_id(const ResultsReport& report, std::size_t i) {
    return fmt::format("{}-{}", report.id, i + 1);
}

/// The answers of all comparisons, each a link to its section.
Html answers(const std::vector<ResultsReport>& reports) {
    Html items;
    for (const ResultsReport& report : reports) {
        for (std::size_t i = 0; i < report.comparisons.size(); ++i) {
            const ComparisonReport& each = report.comparisons[i];
            const std::string of_results = reports.size() > 1 ? fmt::format("{}: ", report.data->name) : std::string();
            items += html(R"(<li><a href="#{}">{}{}, {} threads</a>: {}</li>)", comparison_id(report, i), of_results,
                          each.comparison.workload, each.comparison.threads, each.answer.headline);
        }
    }
    return items.empty() ? html("<p>No trial is in these results, so there is nothing to tell.</p>")
                         : html("<ul>{}</ul>", items);
}

/// What the report goes without, and why.
Html reductions(const std::vector<ResultsReport>& reports, const std::string& why_missing) {
    Html items;
    if (!why_missing.empty())
        items += html("<li>Some pictures are missing: {}. Their tables are here.</li>", why_missing);
    for (const ResultsReport& report : reports)
        for (const std::string& missing : report.data->missing)
            items += html("<li>{}: {}</li>", report.data->name, missing);
    return items.empty() ? items
                         : html(R"(<div class="note"><p>What this report goes without:</p><ul>{}</ul></div>)", items);
}

Html machine_table(const ResultsData& data) {
    if (data.machine_facts.empty()) return {};
    Html rows;
    for (const auto& [key, value] : data.machine_facts)
        rows += html(R"(<tr><th scope="row">{}</th><td class="text">{}</td></tr>)", key, value);
    return html("<details><summary>The machine, as in machine.json</summary>{}</details>",
                scrolling("The machine", html("<table><caption>State of the machine at the start of the run</caption>"
                                              "<tbody>{}</tbody></table>",
                                              rows)));
}

Html how_to_read() {
    return html(
        "<details><summary>How to read this</summary><ul>"
        "<li>A strategy is who places the threads, on which CPUs, bound how, and where pages go. A is the "
        "baseline.</li>"
        "<li>Threads per node are those seen most often, in ascending node number. CPUs used, most on one CPU, LLCs "
        "and "
        "migrations are medians over the trials.</li>"
        "<li>Rates are harmonic means, times arithmetic ones. A positive change is better, for rates and for "
        "times.</li>"
        "<li>\"noise\": a rank test (Mann-Whitney U, two-sided, 5 %) cannot tell the trials from the baseline's. The "
        "test "
        "is for each cell by itself: of twenty cells that do not differ, one will look as if it did.</li>"
        "<li>Every number comes from the rows of the trials at the end of its section; \"Which\" in the table of "
        "strategies "
        "leads to them, and they are those of trials.csv.</li>"
        "</ul></details>");
}

Html results_part(const ResultsReport& report, const Pictures& pictures, bool named) {
    Html part;
    if (named) part += html("<h2>Results {}</h2>", report.data->name);
    part += machine_table(*report.data);
    for (std::size_t i = 0; i < report.comparisons.size(); ++i)
        part += comparison_section(*report.data, report.comparisons[i], pictures, comparison_id(report, i));
    return part;
}

std::string title_of(const std::vector<ResultsReport>& reports) {
    return reports.size() == 1 ? fmt::format("pinwise: {}", reports.front().data->name)
                               : fmt::format("pinwise: {} results", reports.size());
}

}  // namespace

Html page(const std::vector<ResultsReport>& reports, const Pictures& pictures, const std::string& why_missing,
          std::string_view version) {
    Html body =
        html("<h1>{}</h1>{}{}{}", title_of(reports), answers(reports), reductions(reports, why_missing), how_to_read());
    for (const ResultsReport& report : reports)
        body += results_part(report, pictures, reports.size() > 1);
    // The policy is a second wall: nothing on the page may run or load anything, whatever is in it.
    return html(
        R"({}<head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{}</title><style>{}</style></head>
<body><main>{}<footer class="quiet">pinwise {}</footer></main></body></html>
)",
        Html::trusted(std::string(page_start)), title_of(reports), Html::trusted(std::string(page_style)), body,
        version);
}

}  // namespace pinwise::report
