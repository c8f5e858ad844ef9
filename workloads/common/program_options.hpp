#pragma once
/// The options that every workload program has, with one spelling and one meaning, and the reading of a command line.

#include <optional>
#include <string>
#include <string_view>

#include "workloads/common/expected.hpp"
#include "workloads/common/first_touch.hpp"
#include "workloads/common/huge_page_mapping.hpp"

namespace CLI {
class App;
}

namespace pinwise::workloads {

/// --threads N from 1 to `most`. `threads` is set to the default first: OMP_NUM_THREADS, else the CPUs allowed.
void add_threads_option(CLI::App& app, int& threads, int most);

/// --thp on|off|default; `advice` keeps its value where the option is not given.
void add_thp_option(CLI::App& app, ThpAdvice& advice);

/// --touch parallel|master; `touch` keeps its value where the option is not given.
void add_touch_option(CLI::App& app, Touch& touch);

/// --json FILE|-
void add_json_option(CLI::App& app, std::string& json);

/// Parses the arguments. Gives the text to print and end with for --help and --version, else nothing. A mistake is one
/// line that points to --help.
Expected<std::optional<std::string>> parse_arguments(CLI::App& app, int argc, const char* const* argv);

}  // namespace pinwise::workloads
