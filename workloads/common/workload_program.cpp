#include "workloads/common/workload_program.hpp"

#include <cstdio>
#include <exception>

#include <fmt/core.h>

namespace pinwise::workloads {

Expected<ExitStatus> deliver(const WorkloadReport& report, const std::string& text, JsonDestination& json) {
    fmt::print(json.is_stdout() ? stderr : stdout, "{}", text);
    if (const auto written = json.write(to_json(report)); !written) return tl::unexpected(written.error());
    if (std::fflush(stdout) != 0) return failed_run("writing the result to standard output failed");
    return report.verification.passed ? ExitStatus::done : ExitStatus::failed_run;
}

int program_status(std::string_view program, const std::function<Expected<ExitStatus>()>& run) {
    try {
        const auto status = run();
        if (status) return static_cast<int>(*status);
        fmt::print(stderr, "{}: {}\n", program, status.error().message);
        return static_cast<int>(status.error().status);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", program, error.what());
        return static_cast<int>(ExitStatus::failed_run);
    }
}

}  // namespace pinwise::workloads
