#pragma once
/// Checks machine.json, topology.xml, experiment.json and config.toml of a results folder against each other and
/// against the trials.

#include <optional>
#include <string>
#include <vector>

#include "placer/topology/machine.hpp"
#include "runner/validate/problems.hpp"
#include "runner/validate/trials_check.hpp"

namespace pinwise {

/// machine.json against topology.xml: counts and CPUs. Returns the machine, with the CPUs the run was allowed.
std::optional<Machine> check_machine(const std::string& folder, Problems& problems);

/// Every trial is one of the experiment, and none of it is missing.
void check_experiment(const std::string& folder, const CheckedTrials& trials, Problems& problems);

}  // namespace pinwise
