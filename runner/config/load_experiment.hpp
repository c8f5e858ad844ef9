#pragma once
/// TOML to Experiment. The keys are documented in docs/config.md.

#include <string>
#include <string_view>

#include "placer/result.hpp"
#include "runner/config/experiment.hpp"

namespace pinwise {

/// Reads the config. `file` is only used in messages and as the folder that relative `workload_path` entries start
/// from. Every error is a usage error `file:line: what is wrong, and what was meant`.
Result<Experiment> parse_experiment(std::string_view toml_text, const std::string& file);

/// Whole text of a config file. A path that is not there is a usage error that says where configs live.
Result<std::string> read_config_file(const std::string& path);

/// The user's text with the seed and the repetitions that were really used, so that the copy in a results folder
/// repeats the run. A line that is replaced is kept as a comment behind its new value.
std::string config_as_run(std::string_view toml_text, const Experiment& as_written, std::uint64_t seed,
                          int repetitions);

}  // namespace pinwise
