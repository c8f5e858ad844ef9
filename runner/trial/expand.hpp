#pragma once
/// Experiment to the list of its trials on a machine. Pure.

#include <vector>

#include "placer/result.hpp"
#include "placer/topology/machine.hpp"
#include "runner/config/experiment.hpp"
#include "runner/trial/trial.hpp"

namespace pinwise {

/// Most trials of one experiment; more is taken for a mistake.
inline constexpr int max_trials = 100'000;

/// A machine that does not meet the requirements of the experiment is refused: a usage error that names each of them
/// that is not met, with `file:line`.
Result<void> check_requirements(const Experiment& experiment, const Machine& machine);

/// Every trial of repetition 1, then of repetition 2, ...: case by case, and within a case strategy by strategy with
/// the control (policy os, all CPUs, first touch, nothing moved later) first, then other os strategies, then the rest
/// as the config lists them. Strategies that are the same on this machine (bind means nothing to os) are one. Positions
/// are not set. Errors are usage errors `file:line: ...`: an expression, a thread count above the mask without
/// oversubscribe, an explicit list outside its mask, memory on nodes without memory or outside `mems_allowed` (empty:
/// not known).
Result<std::vector<TrialSpec>> expand(const Experiment& experiment, const Machine& machine,
                                      const CpuSet& mems_allowed = {});

}  // namespace pinwise
