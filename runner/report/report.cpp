#include "runner/report/report.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "runner/report/gnuplot.hpp"
#include "runner/report/page.hpp"
#include "runner/report/svg.hpp"

namespace pinwise::report {
namespace {

Result<void> make_folder(const std::string& path) {
    if (path.empty()) return {};
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!error && std::filesystem::is_directory(path, error)) return {};
    return usage_error(fmt::format("cannot make the folder {} for the plots: {}", path,
                                   error ? error.message() : "there is something else of that name"));
}

Pictures inline_pictures(const std::vector<Plot>& plots, const Drawing& drawing) {
    Pictures pictures;
    for (std::size_t i = 0; i < plots.size(); ++i) {
        if (!drawing.svgs[i]) continue;
        Html svg = inline_svg(*drawing.svgs[i], plots[i], fmt::format("p{}", i));
        if (!svg.empty()) pictures.emplace(plots[i].file_name, std::move(svg));
    }
    return pictures;
}

}  // namespace

Result<Report> make_report(std::span<const std::string> paths, const std::string& plots_folder,
                           std::string_view version) {
    std::vector<ResultsData> data;
    data.reserve(paths.size());
    for (const std::string& path : paths) {
        auto results = load_results(path);
        if (!results) return tl::unexpected<Error>(results.error());
        data.push_back(*std::move(results));
    }
    if (const auto made = make_folder(plots_folder); !made) return tl::unexpected<Error>(made.error());
    std::vector<ResultsReport> reports;
    reports.reserve(data.size());
    for (const ResultsData& each : data)
        reports.push_back(analyse(each, static_cast<int>(reports.size()) + 1));
    const std::vector<Plot> plots = all_plots(reports);
    const Drawing drawing = draw(plots, plots_folder);
    Report report;
    if (!drawing.why_missing.empty())
        report.reductions.push_back(fmt::format("some pictures are missing: {}", drawing.why_missing));
    for (const ResultsData& each : data)
        for (const std::string& missing : each.missing)
            report.reductions.push_back(fmt::format("{}: {}", each.name, missing));
    report.html = page(reports, inline_pictures(plots, drawing), drawing.why_missing, version).markup();
    return report;
}

}  // namespace pinwise::report
