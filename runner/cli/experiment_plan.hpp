#pragma once
/// Everything about a run that is decided before its first trial.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "placer/result.hpp"
#include "placer/topology/machine.hpp"
#include "runner/config/experiment.hpp"
#include "runner/trial/trial.hpp"

namespace pinwise::cli {

struct ExperimentPlan {
    std::string config_text;  ///< as the user wrote it
    std::vector<Setting> settings;
    Experiment experiment;
    Machine machine;
    std::uint64_t seed = 0;
    std::vector<TrialSpec> trials;  ///< in the order they run in; none before add_trials()
};

/// Reads a config file with the settings that win over it, and this machine.
Result<ExperimentPlan> read_plan(const std::string& file, std::vector<Setting> settings);

/// Expands the experiment on this machine, whether or not its requirements are met.
Result<void> add_trials(ExperimentPlan& plan);

/// The config with everything that was decided, for a folder: seed, repetitions, settings, and workload folders as they
/// are seen from there.
std::string config_for_folder(const ExperimentPlan& plan, const std::string& folder);

/// Fingerprints of the workloads' programs, the agent and pinwise itself, by file name. Failure: a program is not
/// there.
Result<std::map<std::string, std::string>> program_fingerprints(const ExperimentPlan& plan);

/// Prints every trial with its command, and runs none.
Result<void> print_trials(const ExperimentPlan& plan);

}  // namespace pinwise::cli
