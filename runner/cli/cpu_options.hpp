#pragma once
/// `-C LIST` and `--allow-missing`, the same in every command that takes a mask.

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "placer/result.hpp"
#include "placer/topology/cpu_set.hpp"
#include "placer/topology/machine.hpp"

namespace pinwise::cli {

struct CpuOptions {
    std::optional<std::string> list;  ///< absent: every CPU the machine allows
    bool allow_missing = false;
};

/// Registers both options; `options` must outlive the parsing.
void add_cpu_options(CLI::App& command, CpuOptions& options);

/// The CPUs that may be used on `machine`. Prints a note on stderr for each kind of CPU that --allow-missing dropped.
Result<CpuSet> allowed_cpus(const Machine& machine, const CpuOptions& options);

}  // namespace pinwise::cli
