#pragma once
/// Checks the workloads' own documents against the trials.

#include <string>
#include <vector>

#include "runner/validate/problems.hpp"
#include "runner/validate/trials_check.hpp"

namespace pinwise {

/// Every finished trial of a workload of ours has a document that says it verified. A folder without any document was
/// published without them, and is not looked at.
void check_outputs(const std::string& folder, const CheckedTrials& trials, Problems& problems);

}  // namespace pinwise
