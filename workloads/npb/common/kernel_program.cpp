#include "workloads/npb/common/kernel_program.hpp"

#include <fmt/format.h>

#include "workloads/common/memory_available.hpp"
#include "workloads/common/workload_program.hpp"
#include "workloads/npb/common/command_line.hpp"
#include "workloads/npb/common/kernel_report.hpp"
#include "workloads/npb/common/memory_check.hpp"

namespace pinwise::npb {

namespace {

workloads::Expected<void> check_memory_for(const Kernel& kernel, const Options& options) {
    const auto available = workloads::memory_available();
    if (!available) return tl::unexpected(available.error());
    const ProblemClass problem_class = options.run.problem_class;
    return check_memory(problem_class, kernel.bytes_needed(problem_class, options.threads), *available);
}

workloads::Expected<workloads::ExitStatus> run_program(const Kernel& kernel, int argc, char** argv) {
    const auto command_line = parse_command_line(kernel, argc, argv);
    if (!command_line) return tl::unexpected(command_line.error());
    if (command_line->text_instead) {
        fmt::print("{}", *command_line->text_instead);
        return workloads::ExitStatus::done;
    }
    const Options& options = command_line->options;
    if (const auto enough = check_memory_for(kernel, options); !enough) return tl::unexpected(enough.error());
    auto json = workloads::JsonDestination::open(options.json);
    if (!json) return tl::unexpected(json.error());
    auto team = workloads::start_team(options.threads);
    if (!team) return tl::unexpected(team.error());
    const auto run = kernel.run(options.run, *team);
    if (!run) return tl::unexpected(run.error());
    const auto report = make_report(kernel, options.run, *team, *run);
    return workloads::deliver(report, result_text(kernel, options.run, *team, *run, report), *json);
}

}  // namespace

int kernel_program(const Kernel& kernel, int argc, char** argv) {
    return workloads::program_status(fmt::format("npb-{}", kernel.name),
                                     [&] { return run_program(kernel, argc, argv); });
}

}  // namespace pinwise::npb
