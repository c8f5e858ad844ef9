#pragma once
/// The whole page: one HTML document without scripts, fonts or pictures from anywhere else. Pure.

#include <map>
#include <string>
#include <vector>

#include "runner/report/analysis.hpp"
#include "runner/report/html.hpp"

namespace pinwise::report {

/// Pictures by the file name of their plot; a plot without one is left out, its table stays.
using Pictures = std::map<std::string, Html>;

/// `why_missing` says why pictures are missing, "" when none is. `version` is that of the program.
Html page(const std::vector<ResultsReport>& reports, const Pictures& pictures, const std::string& why_missing,
          std::string_view version);

}  // namespace pinwise::report
