#include "runner/report/report.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "placer/quoted.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/replace_file.hpp"

namespace pinwise::cli {
namespace {

struct ReportOptions {
    std::vector<std::string> results;
    std::string output = "report.html";
    std::string plots;
    bool overwrite = false;
};

/// Nothing recorded is lost: whatever is no page stays.
Result<void> check_replaceable(const ReportOptions& options) {
    std::error_code error;
    if (!std::filesystem::exists(options.output, error)) return {};
    if (!options.overwrite)
        return usage_error(
            fmt::format("{} exists: name another file with -o, or say --overwrite", in_quotes(options.output)));
    std::string start(report::page_start.size(), '\0');
    std::ifstream(options.output, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
    if (start == report::page_start || std::filesystem::file_size(options.output, error) == 0) return {};
    return usage_error(fmt::format("{} is no page of ours, so it is not replaced: name another file with -o",
                                   in_quotes(options.output)));
}

Result<void> write_report(const ReportOptions& options) {
    if (const auto free = check_replaceable(options); !free) return free;
    const auto report = report::make_report(options.results, options.plots, PINWISE_VERSION);
    if (!report) return tl::unexpected<Error>(report.error());
    if (const auto written = replace_file(options.output, report->html); !written) return written;
    for (const std::string& reduction : report->reductions)
        fmt::print(stderr, "pinwise: note: {}\n", on_one_line(reduction));
    fmt::print("report: {}\n", options.output);
    if (!options.plots.empty()) fmt::print("plots: {}\n", options.plots);
    return {};
}

}  // namespace

void add_report(CLI::App& app, Outcome& outcome) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* const command = app.add_subcommand(
        "report", "Write results as one HTML page: the answer in words, plots of every trial, maps of the placement");
    command->add_option("results", options->results, "Results folders of pinwise run, or tables (trials.csv)")
        ->required();
    command->add_option("-o,--output", options->output, "File for the page")->capture_default_str();
    command->add_option("--plots", options->plots, "Folder to write the plots to as well, as SVG, PNG and PDF");
    command->add_flag("--overwrite", options->overwrite, "Replace the page when it is already there");
    command->footer(
        "The page is one file that loads nothing and needs no JavaScript. Plots are drawn by gnuplot (Debian: "
        "gnuplot-nox); "
        "without it the page has its tables and says what is missing.\n\n"
        "Examples:\n"
        "  pinwise report results/quick-20260131T235959Z -o quick.html\n"
        "  pinwise report before after --plots figures      two runs on a page, plots for a paper");
    command->callback([options, &outcome] {
        if (const auto written = write_report(*options); !written) report(written.error(), outcome);
    });
}

}  // namespace pinwise::cli
