#include <fmt/format.h>

#include "workloads/common/child_processes.hpp"
#include "workloads/common/workload_program.hpp"
#include "workloads/numa_test/command_line.hpp"
#include "workloads/numa_test/numa_test_report.hpp"
#include "workloads/numa_test/numa_test_run.hpp"

namespace pinwise::numa_test {

namespace {

workloads::Expected<workloads::ExitStatus> run(int argc, char** argv) {
    const auto command_line = parse_command_line(argc, argv);
    if (!command_line) return tl::unexpected(command_line.error());
    if (command_line->text_instead) {
        fmt::print("{}", *command_line->text_instead);
        return workloads::ExitStatus::done;
    }
    auto json = workloads::JsonDestination::open(command_line->options.json);
    if (!json) return tl::unexpected(json.error());
    workloads::ChildProcesses children;
    const auto finished = run_numa_test(command_line->options, children);
    if (!finished) return tl::unexpected(finished.error());
    children.end_all();
    const auto report = make_report(*finished);
    return workloads::deliver(report, result_text(*finished, report), *json);
}

}  // namespace

}  // namespace pinwise::numa_test

int main(int argc, char** argv) {
    return pinwise::workloads::program_status("pinwise-numa_test", [&] { return pinwise::numa_test::run(argc, argv); });
}
