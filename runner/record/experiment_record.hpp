#pragma once
/// experiment.json: what was to be run, and with which programs, so that a run that goes on later is the same one.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "placer/result.hpp"
#include "runner/trial/trial.hpp"

namespace pinwise {

/// An experiment's identity. What only helps to look at it (tracing, progress, names, comments and the layout of the
/// config) is not in it.
struct ExperimentFacts {
    std::span<const TrialSpec> trials;
    std::uint64_t seed = 0;
    int repetitions = 0;
    std::map<std::string, std::string> programs;  ///< file name to fingerprint: workloads, the agent, pinwise
};

/// A strategy as a config and this machine name it.
struct StrategyText {
    std::string cpus;
    std::string mask;
    std::string policy;
    std::string bind;
    std::string memory;
    std::string migration;
    std::string balance;
};

/// As the lists "cases" and "strategies" of the document have them.
std::string describe_case(const std::string& workload, int threads, const std::string& parameters);
std::string describe_strategy(const StrategyText& strategy);

/// The document as text. Documented in results/README.md.
std::string experiment_record(const ExperimentFacts& facts);

/// What differs between two of these documents, "timeout_s was 60, is 30; ...", at most a few of many; "" when they are
/// the same experiment. Failure: `before` is no such document.
Result<std::string> experiment_difference(std::string_view before, std::string_view now);

/// The same for two machine.json, of what a number depends on and that does not change by itself: hardware, kernel and
/// its settings, CPUs allowed, OpenMP variables. Load and free memory are not compared, nor is what one of them lacks.
Result<std::string> machine_difference(std::string_view before, std::string_view now);

}  // namespace pinwise
