#pragma once
/// Checks that the labels of trials are those that the record itself justifies.

#include <string>
#include <vector>

#include "placer/topology/machine.hpp"
#include "runner/validate/problems.hpp"
#include "runner/validate/trials_check.hpp"

namespace pinwise {

/// Labels that follow from the trial's own row and from the machine's records must be there, and no others of their
/// kind. Those of what happened beside the trial (busy, throttled, ...) cannot be told afterwards and are believed.
void check_labels(const std::string& folder, const Machine& machine, const CheckedTrials& trials, Problems& problems);

}  // namespace pinwise
