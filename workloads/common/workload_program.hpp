#pragma once
/// How every workload program ends: its report delivered, its exit status, one line for an error.

#include <functional>
#include <string>
#include <string_view>

#include "workloads/common/expected.hpp"
#include "workloads/common/workload_report.hpp"

namespace pinwise::workloads {

/// Prints `text` on standard output (on standard error where the document goes to standard output) and writes the JSON
/// document. The status says whether the report's verification passed.
Expected<ExitStatus> deliver(const WorkloadReport& report, const std::string& text, JsonDestination& json);

/// main's body: runs `run`, turns an error or an exception into one line "program: message" on standard error, and
/// returns the exit status.
int program_status(std::string_view program, const std::function<Expected<ExitStatus>()>& run);

}  // namespace pinwise::workloads
