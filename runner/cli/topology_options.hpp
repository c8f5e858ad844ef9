#pragma once
/// `--topology SOURCE` and `--format`, the same in every command that looks at a machine.

#include <initializer_list>
#include <string>

#include <CLI/CLI.hpp>

namespace pinwise::cli {

/// Registers --topology; `source` holds the default and must outlive the parsing. load_machine() takes the value.
void add_topology_option(CLI::App& command, std::string& source);

/// Registers --format with these choices; `format` holds the default and must outlive the parsing.
void add_format_option(CLI::App& command, std::string& format, std::initializer_list<std::string> choices);

}  // namespace pinwise::cli
