#pragma once
/// Runs a program that is expected to end soon.

#include <string>
#include <vector>

#include "placer/result.hpp"

namespace pinwise::report {

/// Finds argv[0] in PATH and runs it in `folder`, standard input empty, output dropped, until it ends or `timeout_s`
/// have passed. Failures: it is not there, was ended, or its exit status is not 0, with the last line of its standard
/// error.
Result<void> run_child(const std::vector<std::string>& argv, const std::string& folder, double timeout_s);

}  // namespace pinwise::report
