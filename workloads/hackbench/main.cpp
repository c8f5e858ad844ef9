#include <fmt/format.h>

#include "workloads/common/child_processes.hpp"
#include "workloads/common/workload_program.hpp"
#include "workloads/hackbench/command_line.hpp"
#include "workloads/hackbench/hackbench_report.hpp"
#include "workloads/hackbench/hackbench_run.hpp"

namespace pinwise::hackbench {

namespace {

workloads::Expected<workloads::ExitStatus> run(int argc, char** argv) {
    const auto command_line = parse_command_line(argc, argv);
    if (!command_line) return tl::unexpected(command_line.error());
    if (command_line->text_instead) {
        fmt::print("{}", *command_line->text_instead);
        return workloads::ExitStatus::done;
    }
    const Options& options = command_line->options;
    auto json = workloads::JsonDestination::open(options.json);
    if (!json) return tl::unexpected(json.error());
    workloads::ChildProcesses children;
    const auto time_s = run_hackbench(options, children);
    if (!time_s) return tl::unexpected(time_s.error());
    return workloads::deliver(make_report(options, *time_s), result_text(options, *time_s), *json);
}

}  // namespace

}  // namespace pinwise::hackbench

int main(int argc, char** argv) {
    return pinwise::workloads::program_status("pinwise-hackbench", [&] { return pinwise::hackbench::run(argc, argv); });
}
