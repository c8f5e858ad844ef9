#pragma once
/// A program of the user's as a workload: what to run, and what to read from its output. Plain data.

#include <string>
#include <vector>

#include "runner/output/output_rules.hpp"

namespace pinwise {

/// Name of this workload in configs and results.
inline constexpr const char* external_workload_name = "external";

struct ExternalWorkload {
    std::string label;                     ///< tells it from other external workloads: part of its case in all results
    std::vector<std::string> command;      ///< argv; a line of the config is {"/bin/sh", "-c", line}
    std::vector<std::string> setup;        ///< once, before its first trial; empty: none, as for the next two
    std::vector<std::string> prepare;      ///< before every trial
    std::vector<std::string> cleanup;      ///< once, after the last trial, also of a run that was interrupted
    std::vector<std::string> environment;  ///< NAME=VALUE
    std::vector<std::string> case_environment;  ///< the same of one case, for its command and prepare only
    std::string working_directory;              ///< of all commands; empty: pinwise's own
    int exit_status = 0;                        ///< of success
    OutputRules output;
};

}  // namespace pinwise
