#include "runner/cli/cpu_options.hpp"

#include <cstdio>

#include <fmt/core.h>

#include "placer/topology/allowed_cpus.hpp"
#include "placer/topology/cpu_list.hpp"

namespace pinwise::cli {

void add_cpu_options(CLI::App& command, CpuOptions& options) {
    command.add_option("-C,--cpus", options.list,
                       "Allow these CPUs only: 0,4-7 or 0-15:2 (every 2nd) or 0-1023:2/256 (2 of every 256); default: "
                       "all that are allowed here");
    command.add_flag("--allow-missing", options.allow_missing,
                     "Leave out CPUs of -C that are absent, offline or not allowed, with a note");
}

Result<CpuSet> allowed_cpus(const Machine& machine, const CpuOptions& options) {
    if (!options.list) return machine.allowed;
    const auto list = parse_cpu_list(*options.list);
    if (!list) return tl::unexpected(list.error());
    auto allowed = select_allowed(machine, *list, options.allow_missing ? MissingCpus::drop : MissingCpus::refuse);
    if (!allowed) return tl::unexpected(allowed.error());
    for (const std::string& note : allowed->notes)
        fmt::print(stderr, "pinwise: note: {}\n", note);
    return allowed->cpus;
}

}  // namespace pinwise::cli
