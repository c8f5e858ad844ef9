#pragma once
/// The one table of workloads: what a config may say about each, and the command line that says it to the program.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/result.hpp"

namespace pinwise {

/// One key of a `[[workload]]` table that becomes one option of the program.
struct WorkloadOption {
    std::string_view key;                       ///< "ntimes"
    std::string_view flag;                      ///< "--ntimes"
    std::string_view fallback;                  ///< value when the config does not name it
    std::span<const std::string_view> choices;  ///< empty: free text, checked by the program
    int least = 0;                              ///< for a whole number, its least value; 0: not a number
    bool size = false;                          ///< elements, bytes with a unit, or the word of the fallback
};

/// What a program reports, for people; its JSON document is what counts.
struct WorkloadMetric {
    std::string_view name;
    std::string_view unit;
    std::string_view better;  ///< "higher", "lower"
    std::string_view meaning;
};

struct WorkloadCommand {
    std::string_view name;        ///< in configs: "stream"
    std::string_view executable;  ///< file name: "pinwise-stream"
    std::span<const WorkloadOption> options;
    std::span<const WorkloadMetric> metrics = {};
};

std::span<const WorkloadCommand> workload_commands();
std::span<const std::string_view> workload_names();

/// What the runner itself measures of every trial.
std::span<const WorkloadMetric> runner_metrics();

/// nullptr when there is no such workload.
const WorkloadCommand* find_workload(std::string_view name);

/// Value of `llc_bytes` that stands for the last-level caches of all strategies of a case together, so that every
/// strategy runs on arrays of one size. expand() replaces it by the number.
inline constexpr std::string_view shared_llc_bytes = "shared";

/// What is wrong with a value, or "".
std::string why_bad_value(const WorkloadOption& option, std::string_view value);

/// Key and value of every option of a case, in the table's order.
using WorkloadParameters = std::vector<std::pair<std::string, std::string>>;

/// argv for `executable`: threads, every parameter, and the file its JSON document goes to.
std::vector<std::string> workload_arguments(const WorkloadCommand& command, const std::string& executable, int threads,
                                            const WorkloadParameters& parameters, const std::string& json_file);

/// Path of the program: in `folders` in their order, then beside this program (build tree), then in ../libexec/pinwise
/// (installed). Not found or not executable is a failure that names every folder searched.
Result<std::string> find_workload_executable(const WorkloadCommand& command, std::span<const std::string> folders);

}  // namespace pinwise
