#pragma once
/// Values from the command line in the text of a config: what was asked for, and how a results folder keeps it.

#include <span>
#include <string>
#include <string_view>

#include "placer/result.hpp"
#include "runner/config/experiment.hpp"

namespace pinwise {

/// "ntimes=20", "policy=idlest", "threads=[1, 2]": a value that TOML does not take as a number, true, false, a string
/// or a list is a string. Usage error when there is no key or no value.
Result<Setting> parse_setting(std::string_view text);

/// The user's text with the settings in it, so that the copy in a results folder repeats the run. Lines that are
/// replaced are kept as comments behind or below their new value. The text must be one that parse_experiment() takes
/// with these settings.
std::string config_as_run(std::string_view toml_text, std::span<const Setting> settings);

/// The same config for another folder: relative paths (workload_path, working_directory) that start from
/// `config_folder` start from `folder`.
std::string config_seen_from(const std::string& folder, const std::string& config_folder, std::string_view toml_text);

}  // namespace pinwise
