#pragma once
/// What every workload reports, and its JSON document (schema 1, described in workloads/README.md).

#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "workloads/common/expected.hpp"
#include "workloads/common/thread_team.hpp"

namespace pinwise::workloads {

enum class Better { higher, lower };

struct Metric {
    std::string name;
    std::string unit;
    double value = 0;
    Better better = Better::higher;
};

/// Times in seconds of one kernel (or the whole), one an iteration, the ones left out of the metrics included.
struct KernelTimes {
    std::string kernel;
    std::vector<double> times_s;
    std::optional<std::uint64_t> bytes = std::nullopt;  ///< moved in one iteration, where the kernel has such a count
};

struct Verification {
    bool passed = false;
    double max_error = 0;  ///< non-finite becomes null in JSON
    double tolerance = 0;
    std::string message;  ///< what is wrong; empty when passed
};

/// Where the pages are; `unavailable_because` says why there is nothing to tell.
struct PageReport {
    std::optional<std::uint64_t> anon_huge_bytes;
    std::optional<NodePages> node_pages;  ///< sampled, all threads together
    std::string unavailable_because;
};

struct WorkloadReport {
    std::string workload;
    std::string variant;
    nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
    std::vector<Metric> metrics;
    std::vector<KernelTimes> iterations;
    Verification verification;
    std::vector<ThreadCpus> threads;
    PageReport pages;
    std::vector<std::string> notes;
};

/// The document. A report whose verification failed has no metrics in it, whatever `metrics` holds: a wrong result is
/// never a number.
nlohmann::ordered_json to_json(const WorkloadReport& report);

/// Adds up the threads' page samples and looks up the huge pages of `ranges`.
PageReport page_report(const std::vector<ThreadCpus>& threads, std::span<const MemoryRange> ranges,
                       const std::string& sampling_error);

/// Pages asked about for each thread: enough to tell per cent, and at most some milliseconds.
inline constexpr std::size_t page_samples_per_thread = 1024;

/// Samples the pages that each thread of the team uses (`ranges_of_thread`, by OpenMP thread number) into its
/// node_pages, and reports all together, with the huge pages of `all_ranges`.
PageReport sample_team_pages(ThreadTeam& team, const std::function<std::vector<MemoryRange>(int)>& ranges_of_thread,
                             std::span<const MemoryRange> all_ranges);

/// Where the JSON document goes: opened before the run, so that a wrong path costs no measurement.
class JsonDestination {
public:
    /// `path` is a file, "-" for standard output, or empty for nowhere. A file that cannot be opened is the user's
    /// mistake.
    static Expected<JsonDestination> open(const std::string& path);

    [[nodiscard]] bool is_stdout() const { return path_ == "-"; }

    /// Writes the document and a newline, and makes sure they arrived. Nowhere: does nothing.
    Expected<void> write(const nlohmann::ordered_json& document);

private:
    std::string path_;
    std::ofstream file_;
};

}  // namespace pinwise::workloads
