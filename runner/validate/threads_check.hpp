#pragma once
/// Checks threads.csv against trials.csv and the topology.

#include <string>
#include <vector>

#include "placer/topology/machine.hpp"
#include "runner/validate/problems.hpp"
#include "runner/validate/trials_check.hpp"

namespace pinwise {

/// Every thread belongs to a trial and to a CPU, node and cache of the machine, and what a trial says of the start of
/// its threads is what these rows say. `machine` is nullptr where there is no topology.
void check_threads(const std::string& text, const std::string& file, const CheckedTrials& trials,
                   const Machine* machine, Problems& problems);

}  // namespace pinwise
