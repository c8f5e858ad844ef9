#pragma once
/// What every workload reports, and its JSON document (schema 1, described in workloads/README.md).

#include <cstdint>
#include <fstream>
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
};

struct Verification {
    bool passed = false;
    double max_error = 0;  ///< non-finite becomes null in JSON
    double tolerance = 0;
    std::string message;  ///< what is wrong; empty when passed
};

/// One array, in sampled pages; nothing where it could not be asked.
struct ArrayPages {
    std::string name;
    std::uint64_t bytes = 0;
    std::optional<NodePages> start;  ///< when all of it was touched, before anything was timed
    std::optional<NodePages> end;
};

/// Of the pages that the threads use (as many sampled of each thread), those on the node their thread runs on.
struct LocalShare {
    double time_s = 0;  ///< since the first touch was done
    double percent = 0;
};

/// Where the pages are; `unavailable_because` says why there is nothing to tell.
struct PageReport {
    std::optional<std::uint64_t> anon_huge_bytes;
    std::optional<NodePages> node_pages;  ///< sampled, all threads together
    std::vector<ArrayPages> arrays;
    std::vector<LocalShare> local_share;  ///< in order of time, first the start, last the end
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
void add_team_pages(const std::vector<ThreadCpus>& threads, std::span<const MemoryRange> ranges, PageReport& report);

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
