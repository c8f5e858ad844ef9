#pragma once
/// TOML to Experiment. The keys are documented in docs/config.md.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"
#include "runner/config/experiment.hpp"

namespace pinwise {

/// Reads the config. `file` is only used in messages and as the folder that relative `workload_path` entries start
/// from. `settings` win over what the file says. Every error is a usage error `file:line: what is wrong, and what was
/// meant`.
Result<Experiment> parse_experiment(std::string_view toml_text, const std::string& file,
                                    std::span<const Setting> settings = {});

/// Whether a setting of that key belongs to the top level of a config rather than to its tables.
bool is_top_level(std::string_view key);

/// A key that a config may have, and the table it belongs to: "" for the top level, "requires", "workload", "matrix",
/// or the workload whose option it is.
struct ConfigKey {
    std::string_view table;
    std::string_view key;
};

/// All of them, for the test that each is documented.
std::vector<ConfigKey> known_config_keys();

}  // namespace pinwise
