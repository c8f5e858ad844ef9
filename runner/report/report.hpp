#pragma once
/// Results in, page and pictures out.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"

namespace pinwise::report {

/// What every page begins with.
inline constexpr std::string_view page_start = "<!DOCTYPE html>\n<html lang=\"en\">";

struct Report {
    std::string html;
    std::vector<std::string> reductions;  ///< what it goes without, a line each
};

/// `paths` as of load_results(). With `plots_folder` (created when it is not there) the plots are also written as
/// files; a folder that cannot be made is a usage error.
Result<Report> make_report(std::span<const std::string> paths, const std::string& plots_folder,
                           std::string_view version);

}  // namespace pinwise::report
