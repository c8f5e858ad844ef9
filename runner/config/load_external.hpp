#pragma once
/// A `[[workload]]` table with name = "external". The keys are documented in docs/workloads/external.md.

#include <string>
#include <utility>
#include <vector>

#include "runner/config/external_workload.hpp"
#include "runner/config/toml_values.hpp"

namespace pinwise {

struct ExternalTable {
    ExternalWorkload workload;
    /// Variables of the environment that have a list of values: each is another case.
    std::vector<std::pair<std::string, std::vector<ConfigValue>>> variables;
};

/// `file` is the config's, from whose folder a relative working_directory starts. Throws toml_values::Mistake.
ExternalTable read_external(const toml::table& table, const std::string& file);

}  // namespace pinwise
