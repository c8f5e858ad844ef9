#pragma once
/// A `[[workload]]` table with name = "external". The keys are documented in docs/workloads/external.md.

#include <string>

#include "runner/config/external_workload.hpp"
#include "runner/config/toml_values.hpp"

namespace pinwise {

/// `file` is the config's, from whose folder a relative working_directory starts. Throws toml_values::Mistake.
ExternalWorkload read_external(const toml::table& table, const std::string& file);

}  // namespace pinwise
