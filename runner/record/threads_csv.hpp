#pragma once
/// threads.csv: one row per trial and thread. The columns are documented in results/README.md.

#include <string>

#include "placer/topology/machine.hpp"
#include "runner/trial/trial.hpp"

namespace pinwise {

std::string threads_header();

/// One record for each of result.threads.
std::string format_thread_rows(const Machine& machine, const TrialSpec& spec, const TrialResult& result);

}  // namespace pinwise
