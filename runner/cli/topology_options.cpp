#include "runner/cli/topology_options.hpp"

#include <vector>

#include <fmt/format.h>

namespace pinwise::cli {

void add_topology_option(CLI::App& command, std::string& source) {
    command
        .add_option("--topology", source,
                    "Use this machine: live, FILE.xml of `pinwise topo --save` or lstopo, or synthetic:\"...\"")
        ->capture_default_str();
}

void add_format_option(CLI::App& command, std::string& format, std::initializer_list<std::string> choices) {
    const std::vector<std::string> names(choices);
    command.add_option("--format", format, fmt::format("Print as {}", fmt::join(names, ", ")))
        ->check(CLI::IsMember(names))
        ->capture_default_str();
}

}  // namespace pinwise::cli
