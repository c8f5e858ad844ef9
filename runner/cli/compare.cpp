#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "placer/quoted.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/compare_inputs.hpp"
#include "runner/cli/terminal_colour.hpp"
#include "runner/compare/machine_formats.hpp"
#include "runner/compare/markdown_table.hpp"
#include "runner/compare/mmtests_table.hpp"
#include "runner/compare/plain_table.hpp"
#include "runner/compare/row_filter.hpp"
#include "runner/compare/table.hpp"
#include "runner/import/foreign_rows.hpp"
#include "runner/import/results_format.hpp"
#include "runner/record/machine_record.hpp"

namespace pinwise::cli {
namespace {

constexpr int exit_worse = 3;

struct CompareOptions {
    std::vector<std::string> inputs;
    std::string baseline;
    std::string columns = "auto";
    std::string group_by;
    std::map<GroupKey, std::vector<std::string>> filters;
    std::vector<std::string> metrics;
    std::string format = "table";
    std::string style = "full";
    std::string rounding;
    std::string colour = "auto";
    std::string better;
    std::optional<double> fail_if_worse_percent;
};

/// What has been read, and how it may be arranged.
struct Read {
    std::vector<std::string> names;
    std::string machine_kind;
    bool strategies_named = false;  ///< some row says who placed its threads
    std::vector<Grouping> groupings;
    std::vector<Collector> collectors;  ///< one per grouping
};

/// The arrangements that come into question: which of two it is can depend on what is in the files.
Result<std::vector<Grouping>> groupings_of(const CompareOptions& options) {
    if (!options.group_by.empty()) {
        auto grouping = tables_by(options.group_by);
        if (!grouping) return tl::unexpected<Error>(grouping.error());
        return std::vector{*std::move(grouping)};
    }
    if (options.columns == "strategies") return std::vector{columns_are_strategies()};
    if (options.columns == "files") return std::vector{columns_are_files()};
    if (options.columns == "both") return std::vector{columns_are_files_and_strategies()};
    return std::vector{columns_are_strategies(), columns_are_files()};
}

Result<void> read_file(const ComparedInput& input, int number, std::optional<Better> better, RowFilter& filter,
                       Read& read) {
    const auto text = read_input(input.path);
    if (!text) return tl::unexpected<Error>(text.error());
    const auto format = recognise(*text);
    if (!format)
        return usage_error(
            fmt::format("{}: neither a trials.csv nor output of STREAM, NPB, likwid-bench or Google "
                        "Benchmark (JSON or CSV) nor mmtests TSV",
                        input.path));
    // Where nobody says which strategy it was, the column can only be called by the file.
    const bool one_table = read.names.size() == 1 && *format == ResultsFormat::trials_csv;
    const std::size_t arrangements = one_table ? 1 : read.groupings.size();
    while (read.collectors.size() < arrangements)
        read.collectors.emplace_back(read.groupings[read.collectors.size()], read.names);
    return read_results(*format, *text, input.path, better, [&](const TrialRow& row, int) -> Result<void> {
        if (!filter.passes(row, input.name)) return {};
        read.strategies_named = read.strategies_named || !row.policy.empty() || !row.variant.empty();
        for (Collector& collector : read.collectors)
            collector.add(row, number);
        return {};
    });
}

Result<Read> read_inputs(const CompareOptions& options) {
    const auto inputs = find_inputs(options.inputs);
    if (!inputs) return tl::unexpected<Error>(inputs.error());
    auto groupings = groupings_of(options);
    if (!groupings) return tl::unexpected<Error>(groupings.error());
    Read read;
    read.groupings = *std::move(groupings);
    for (const ComparedInput& input : *inputs)
        read.names.push_back(input.name);
    RowFilter filter;
    for (const auto& [key, patterns] : options.filters)
        filter.want(key, patterns);
    const std::optional<Better> better =
        options.better.empty() ? std::nullopt
                               : std::optional(options.better == "higher" ? Better::higher : Better::lower);
    int number = 0;
    for (const ComparedInput& input : *inputs) {
        if (const auto done = read_file(input, number++, better, filter, read); !done)
            return tl::unexpected<Error>(done.error());
        if (input.machine_file.empty()) continue;
        const auto machine = read_input(input.machine_file);
        if (machine && recorded_machine_kind(*machine) == "emulated") read.machine_kind = "emulated";
    }
    if (const auto good = filter.check(); !good) return tl::unexpected<Error>(good.error());
    return read;
}

/// Several files with something in common, and one without strategies: a column each. Otherwise a column per strategy.
Result<std::vector<Comparison>> arrange(Read& read, const CompareOptions& options) {
    std::vector<std::vector<CollectedCase>> cases;
    for (Collector& collector : read.collectors)
        cases.push_back(collector.finish());
    const auto has_pair = [](const CollectedCase& each) { return each.columns.size() > 1; };
    const bool by_files = cases.size() > 1 && (!read.strategies_named || std::ranges::any_of(cases.back(), has_pair));
    ComparisonOptions comparison;
    comparison.grouping = by_files ? read.groupings.back() : read.groupings.front();
    comparison.baseline = options.baseline;
    comparison.metrics = options.metrics;
    comparison.intervals = options.format != "tsv" && options.style == "full";
    return compare(std::move(by_files ? cases.back() : cases.front()), read.names, comparison);
}

bool wants_colour(const CompareOptions& options) {
    return options.colour == "auto" ? stdout_takes_colour() : options.colour == "always";
}

std::string format_as(const CompareOptions& options, std::span<const Comparison> comparisons,
                      const TableOptions& table) {
    if (options.format == "csv") return format_csv(comparisons);
    if (options.format == "json") return format_json(comparisons, table);
    if (options.format == "tsv") return format_tsv(comparisons);
    if (options.format == "markdown") return format_markdown(comparisons, table);
    if (options.style == "mmtests") return format_mmtests(comparisons, table);
    if (options.style == "plain") return format_plain(comparisons, table);
    if (options.style == "pct") return format_pct(comparisons, table);
    return format_tables(comparisons, table);
}

/// What is worse than permitted and not shown to be noise, and what has no value any more.
std::vector<std::string> worse_than(std::span<const Comparison> comparisons, double permitted_percent) {
    std::vector<std::string> found;
    for (const Comparison& comparison : comparisons) {
        for (const MetricRow& row : comparison.rows) {
            for (std::size_t i = 1; i < row.cells.size(); ++i) {
                const Cell& cell = row.cells[i];
                const bool judged = cell.verdict == Verdict::differs || cell.verdict == Verdict::too_few;
                const bool worse = judged && *cell.change_percent < -permitted_percent;
                const bool lost = !cell.mean && row.cells.front().mean;
                if (!worse && !lost) continue;
                found.push_back(fmt::format(
                    "{}, {}, {}: {}", title_of(comparison), row.metric, name_of(comparison.columns[i]),
                    lost ? cell.why_no_mean : fmt::format("{} %", percent(*cell.change_percent, Rounding::nearest))));
            }
        }
    }
    return found;
}

int judge(const CompareOptions& options, std::span<const Comparison> comparisons) {
    if (!options.fail_if_worse_percent) return 0;
    const auto worse = worse_than(comparisons, *options.fail_if_worse_percent);
    for (const std::string& each : worse)
        fmt::print(stderr, "pinwise: worse than {:g} %: {}\n", *options.fail_if_worse_percent, each);
    return worse.empty() ? 0 : exit_worse;
}

Result<int> run(const CompareOptions& options) {
    if (options.format != "table" && options.style != "full")
        return usage_error(fmt::format("--style {} is a table; it cannot be combined with --format {}", options.style,
                                       options.format));
    auto read = read_inputs(options);
    if (!read) return tl::unexpected<Error>(read.error());
    const auto comparisons = arrange(*read, options);
    if (!comparisons) return tl::unexpected<Error>(comparisons.error());
    if (comparisons->empty()) return usage_error(fmt::format("{}: no trial in it", fmt::join(options.inputs, ", ")));
    const bool cuts = options.rounding.empty() ? options.style == "pct" : options.rounding == "truncate";
    const TableOptions table{.machine_kind = read->machine_kind,
                             .colour = wants_colour(options),
                             .rounding = cuts ? Rounding::truncate : Rounding::nearest};
    fmt::print("{}", format_as(options, *comparisons, table));
    std::fflush(stdout);
    return judge(options, *comparisons);
}

void add_filters(CLI::App& command, const std::shared_ptr<CompareOptions>& options) {
    for (const GroupKey key : group_keys()) {
        const std::string word(to_string(key));
        command
            .add_option("--" + word, options->filters[key],
                        fmt::format("Only trials of this {}; a shell pattern, may be given several times", word))
            ->allow_extra_args(false)
            ->group("Filters");
    }
    command
        .add_option("--metric", options->metrics,
                    "Only these metrics: --metric Triad,Copy, --metric 'T*'; may be given several times")
        ->allow_extra_args(false)
        ->delimiter(',')
        ->group("Filters");
}

void add_forms(CLI::App& command, const std::shared_ptr<CompareOptions>& options) {
    command
        .add_option("--format", options->format,
                    "table, markdown, csv (a record per cell), json, tsv (the trials' values, as mmtests TSV)")
        ->check(CLI::IsMember({"table", "markdown", "csv", "json", "tsv"}))
        ->capture_default_str();
    command
        .add_option("--style", options->style,
                    "Kind of table: full; mmtests (that tool's rows and stars); plain (means and percentages, as in "
                    "kernel changelogs); pct (one line a metric, \"(60.26 pct)\")")
        ->check(CLI::IsMember({"full", "mmtests", "plain", "pct"}))
        ->capture_default_str();
    command
        .add_option("--rounding", options->rounding,
                    "Of percentages: nearest, or truncate as some tables do (default: nearest; truncate for pct)")
        ->check(CLI::IsMember({"nearest", "truncate"}));
    command.add_option("--color", options->colour, "auto (a terminal, and NO_COLOR is not set), always, never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
}

/// CLI11's own check lets nan through, of which nothing is ever more.
CLI::Validator percentage() {
    const auto check = [](const std::string& text) -> std::string {
        const auto value = finite_number(text);
        return value && *value >= 0 ? "" : in_quotes(text) + " is no percentage; a number from 0 on is needed";
    };
    return {check, "", "percentage"};
}

constexpr std::string_view footer =
    "Inputs: a results folder of pinwise run, a folder of such folders, a trials.csv, or what other programs wrote: "
    "output of STREAM, NPB or likwid-bench, Google Benchmark's JSON or CSV, mmtests TSV. NAME=PATH names the "
    "column.\n\n"
    "The first column is the baseline; positive is always better, for rates and for times.\n\n"
    "Exit status: 0 compared, 1 output failed, 2 a mistake in the command or a file, 3 worse than --fail-if-worse.\n\n"
    "Examples:\n"
    "  pinwise compare results/quick-20260131T120000Z           strategies of one run\n"
    "  pinwise compare old=results/a new=results/b --policy os  two kernels, strategy by strategy\n"
    "  pinwise compare results/a --baseline idlest --metric Triad\n"
    "  pinwise compare stream-before.txt stream-after.txt --fail-if-worse 2\n"
    "  pinwise compare results/a --style mmtests | less\n"
    "docs/compare.md explains every row and mark.";

}  // namespace

void add_compare(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<CompareOptions>();
    CLI::App* const command =
        app.add_subcommand("compare", "Compare results: strategies of a run, runs of several kernels, other programs'");
    command->add_option("inputs", options->inputs, "Results folders or files, each as PATH or NAME=PATH; - for stdin")
        ->required();
    command->add_option("--baseline", options->baseline,
                        "Column to compare with: a file's name, a policy, or a part of a column's title "
                        "(default: the first)");
    CLI::Option* const columns =
        command
            ->add_option("--columns", options->columns,
                         "What columns are: strategies (files are put together), files (a table per strategy), both, "
                         "auto (files where two have a strategy in common)")
            ->check(CLI::IsMember({"auto", "strategies", "files", "both"}))
            ->capture_default_str();
    command
        ->add_option("--group-by", options->group_by,
                     "Properties that make a table of their own, with commas in between; all others make columns: "
                     "file, workload, parameters, threads, variant, policy, cpus, bind, memory, migration, balance")
        ->excludes(columns);
    command
        ->add_option("--better", options->better,
                     "For values of mmtests TSV that do not say so: is a higher or a lower one better?")
        ->check(CLI::IsMember({"higher", "lower"}));
    command
        ->add_option("--fail-if-worse", options->fail_if_worse_percent,
                     "Exit with 3 if a metric is worse than the baseline by more than so many percent, unless that "
                     "cannot be told from noise; also if it has no value any more")
        ->check(percentage());
    add_forms(*command, options);
    add_filters(*command, options);
    command->footer(std::string(footer));
    command->callback([options, &outcome] {
        const auto status = run(*options);
        if (!status) return report(status.error(), outcome);
        outcome.status = *status;
    });
}

}  // namespace pinwise::cli
