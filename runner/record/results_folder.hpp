#pragma once
/// The folder of one run: trials.csv, threads.csv, experiment.json, machine.json, topology.xml, config.toml and
/// output/.

#include <set>
#include <string>
#include <string_view>

#include "placer/result.hpp"
#include "placer/topology/machine.hpp"
#include "runner/record/durable_file.hpp"
#include "runner/trial/trial.hpp"

namespace pinwise {

/// What is known before the first trial.
struct RunDescription {
    std::string config_toml;
    std::string experiment_json;
    std::string machine_json;
    std::string topology_xml;
};

/// While it exists no other run can write into the folder.
class ResultsFolder {
public:
    /// Creates the folder (parents too) and writes all that is known. A folder that has something in it is a usage
    /// error.
    static Result<ResultsFolder> create(const std::string& path, const RunDescription& description);

    /// Opens the folder of a run that was ended before it was done, and cuts off what it left unfinished. Usage errors:
    /// there is no such run, another run is writing into it, its tables are damaged.
    static Result<ResultsFolder> reopen(const std::string& path);

    /// Nothing but the start of a run may go on: usage error that names what is not as it was when the folder was made.
    [[nodiscard]] Result<void> check_same(const RunDescription& now) const;

    /// Keeps the machine's state at the start of a run that goes on: machine-resumed-1.json, ...
    Result<void> add_machine(std::string_view machine_json);

    /// Puts a trial's rows on disk: threads first, so that a trial with rows in trials.csv is complete. A failed trial
    /// is not recorded, and the disk's error returned, when nothing more can be written.
    Result<void> record(const Machine& machine, const TrialSpec& spec, const TrialResult& result);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const std::set<int>& finished() const { return finished_; }  ///< trials of before it was reopened
    [[nodiscard]] std::string trials_file() const { return path_ + "/trials.csv"; }
    [[nodiscard]] std::string machine_file() const { return path_ + "/machine.json"; }
    /// For the workloads' own documents.
    [[nodiscard]] std::string output_folder() const { return path_ + "/output"; }

private:
    ResultsFolder(std::string path, DurableFile trials, DurableFile threads)
        : path_(std::move(path)), trials_(std::move(trials)), threads_(std::move(threads)) {}
    std::string path_;
    DurableFile trials_;
    DurableFile threads_;
    std::set<int> finished_;
};

/// "results/NAME-20260131T235959Z"
std::string default_results_path(std::string_view name);

/// Whole content of a file; "" when it cannot be read.
std::string file_text(const std::string& path);

}  // namespace pinwise
