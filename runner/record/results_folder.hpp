#pragma once
/// The folder of one run: trials.csv, threads.csv, machine.json, topology.xml, config.toml and output/.

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
    std::string machine_json;
    std::string topology_xml;
};

class ResultsFolder {
public:
    /// Creates the folder (parents too) and writes all that is known. A folder that has something in it is a usage
    /// error.
    static Result<ResultsFolder> create(const std::string& path, const RunDescription& description);

    /// Puts a trial's rows on disk: threads first, so that a trial with rows in trials.csv is complete.
    Result<void> record(const Machine& machine, const TrialSpec& spec, const TrialResult& result);

    [[nodiscard]] const std::string& path() const { return path_; }
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
};

/// "results/NAME-20260131T235959Z"
std::string default_results_path(std::string_view name);

}  // namespace pinwise
