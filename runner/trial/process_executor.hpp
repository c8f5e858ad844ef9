#pragma once
/// The real executor: each trial is a fresh process group, with the mask of its strategy and the agent in it.

#include <string>
#include <vector>

#include "placer/topology/machine.hpp"
#include "runner/sched_trace/sched_trace.hpp"
#include "runner/trial/executor.hpp"
#include "runner/trial/external_trial.hpp"
#include "runner/trial/page_log.hpp"
#include "runner/trial/process_group.hpp"

namespace pinwise {

struct ProcessExecutorOptions {
    std::string output_folder;               ///< the workloads' JSON documents go there, and the text of failed trials
    std::vector<std::string> workload_path;  ///< searched before our own folders
    int interrupt_fd = -1;                   ///< readable: end the trial and report it as interrupted
    SchedTrace* trace = nullptr;             ///< first CPUs of the control come from here; must outlive the executor
    double grace_s = 2;                      ///< between SIGTERM and SIGKILL at a timeout
    /// Before each trial, so that what the trial before it has left on the CPUs is over: pages being freed, rows being
    /// written to disk, a terminal drawing our progress. A busy CPU is one the kernel does not start a thread on.
    int settle_ms = 0;
};

/// The control (policy os) has the agent too, which then only records: the placing is the only difference.
/// Files: `NNNN.json` of every trial; `NNNN.out` and `NNNN.err`, bounded, of a failed one and of every external one;
/// `NNNN.pages.json` of every external one (PageLog).
class ProcessExecutor final : public Executor {
public:
    /// `machine` must outlive the executor. The calling process must have no other children while a trial runs.
    ProcessExecutor(const Machine& machine, ProcessExecutorOptions options);

    TrialResult run(const TrialSpec& spec) override;

    /// After the last trial: the cleanup commands of external workloads. Returns one line for each that failed.
    std::vector<std::string> clean_up() { return steps_.clean_up(); }

private:
    struct Started;
    Result<Started> start(const TrialSpec& spec, const std::string& json_file);
    GroupResult wait_for(const TrialSpec& spec, Started& started) const;
    void save_pages(const TrialSpec& spec, const PageLog& pages) const;
    void save_text(const TrialSpec& spec, const GroupResult& group, TrialResult& result) const;

    const Machine& machine_;
    ProcessExecutorOptions options_;
    Subreaper subreaper_;
    ExternalSteps steps_;
};

/// The command line of a trial as `--dry-run` shows it and as it is run. Failure: the program is not there.
Result<std::vector<std::string>> trial_command(const TrialSpec& spec, const std::vector<std::string>& workload_path,
                                               const std::string& json_file);

/// "SIGSEGV".
std::string signal_name(int number);

}  // namespace pinwise
