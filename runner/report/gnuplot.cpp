#include "runner/report/gnuplot.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "runner/report/child_program.hpp"

namespace pinwise::report {
namespace {

namespace fs = std::filesystem;

/// Far more than a busy machine needs.
constexpr double start_timeout_s = 60;
constexpr double plot_timeout_s = 5;

/// A folder that is gone when the object is.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::error_code error;
        std::string pattern = (fs::temp_directory_path(error) / "pinwise-report-XXXXXX").string();
        if (!error && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    TemporaryFolder(TemporaryFolder&&) = delete;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder() {
        std::error_code error;
        if (!path_.empty()) fs::remove_all(path_, error);
    }

    /// "" when it could not be made.
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Draws `plot` into `file`.
std::string draw_into(const Plot& plot, const std::string& terminal, const std::string& file) {
    return fmt::format("set terminal {}\nset output {}\n{}\nset output\n", terminal, gnuplot_text(file), plot.commands);
}

std::string svg_terminal(const Plot& plot) {
    return fmt::format("svg size {},{} dynamic noenhanced font 'sans-serif,12'", plot.width, plot.height);
}

/// As on the page, at twice its size; a PDF is measured in inches, 96 pixels each.
std::string file_commands(const Plot& plot, const std::string& folder) {
    constexpr double pixels_per_inch = 96;
    const std::string file = (fs::absolute(folder) / plot.file_name).string();
    return draw_into(plot, svg_terminal(plot), file + ".svg") +
           draw_into(
               plot,
               fmt::format("pngcairo size {},{} noenhanced font 'sans-serif,12' fontscale 2 linewidth 2 pointscale 2",
                           2 * plot.width, 2 * plot.height),
               file + ".png") +
           draw_into(plot,
                     fmt::format("pdfcairo size {:.3f}in,{:.3f}in noenhanced font 'sans-serif,9'",
                                 plot.width / pixels_per_inch, plot.height / pixels_per_inch),
                     file + ".pdf");
}

std::string script(std::span<const Plot> plots, const std::string& folder) {
    std::string commands = "set encoding utf8\n";
    for (std::size_t i = 0; i < plots.size(); ++i) {
        commands += draw_into(plots[i], svg_terminal(plots[i]), fmt::format("{}.svg", i));
        if (!folder.empty()) commands += file_commands(plots[i], folder);
    }
    return commands;
}

/// Absent when the file is not there or not complete.
std::optional<std::string> complete_svg(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    std::string svg = text.str();
    const std::size_t end = svg.find_last_not_of(" \n");
    constexpr std::string_view last = "</svg>";
    if (end == std::string::npos || !std::string_view(svg).substr(0, end + 1).ends_with(last)) return std::nullopt;
    return svg;
}

}  // namespace

Drawing draw(std::span<const Plot> plots, const std::string& folder) {
    Drawing drawing;
    drawing.svgs.resize(plots.size());
    if (plots.empty()) return drawing;
    const TemporaryFolder work;
    const std::string script_file = work.path() + "/plots.gp";
    std::ofstream stream(script_file);
    stream << script(plots, folder);
    stream.close();
    if (work.path().empty() || !stream) {
        drawing.why_missing = "no temporary folder can be written";
        return drawing;
    }
    // -d: no start files of the user or the system.
    const auto ran = run_child({"gnuplot", "-d", script_file}, work.path(),
                               start_timeout_s + plot_timeout_s * static_cast<double>(plots.size()));
    if (!ran) drawing.why_missing = ran.error().message;
    if (drawing.why_missing.find("cannot be started") != std::string::npos)
        drawing.why_missing += " (Debian: apt-get install gnuplot-nox)";
    for (std::size_t i = 0; i < plots.size(); ++i) {
        drawing.svgs[i] = complete_svg(fs::path(work.path()) / fmt::format("{}.svg", i));
        if (!drawing.svgs[i] && drawing.why_missing.empty())
            drawing.why_missing = fmt::format("gnuplot did not draw \"{}\"", plots[i].title);
    }
    return drawing;
}

}  // namespace pinwise::report
