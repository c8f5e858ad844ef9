#pragma once
/// What is special about a trial of a program of the user's: its environment, the commands around it, and its output.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "placer/agent/launch.hpp"
#include "placer/topology/cpu_set.hpp"
#include "runner/trial/process_group.hpp"
#include "runner/trial/trial.hpp"
#include "runner/trial/workload_output.hpp"

namespace pinwise {

/// Of each output; what prints more is a failed trial, because nobody looks for its numbers in a part.
inline constexpr std::size_t max_external_output_bytes = 16U << 20;

/// Program, folder and variables: PINWISE_THREADS, PINWISE_CPUS (the mask) and OMP_NUM_THREADS, then the config's own.
LaunchSpec external_launch(const ExternalWorkload& external, const std::vector<std::string>& command, int threads,
                           const CpuSet& cpus);

/// The metrics, or why there are none (failure): a wrong exit status, too much output, what read_metrics() says. The
/// program must have ended by itself.
Result<WorkloadOutput> read_external_output(const ExternalWorkload& external, const GroupResult& group);

/// The last line with something in it, made safe for one line of a table.
std::string last_line(std::string_view text);

/// Setup, prepare and cleanup commands: on all the CPUs there are, without a session, and outside every measured time.
class ExternalSteps {
public:
    ExternalSteps(CpuSet cpus, int interrupt_fd) : cpus_(std::move(cpus)), interrupt_fd_(interrupt_fd) {}

    /// Before a trial: its setup if it is the first of its workload, and its prepare. Nothing: go on. Else the trial
    /// has this result: failed with the reason, or interrupted.
    std::optional<TrialResult> before(const TrialSpec& spec);
    /// Every cleanup command whose setup was tried, also after an interruption. Returns one line for each that failed.
    std::vector<std::string> clean_up();

private:
    struct Known {
        ExternalWorkload external;
        double timeout_s = 0;
        std::optional<TrialResult> setup;  ///< why its trials cannot run
    };
    enum class Interrupts { end_it, are_ignored };
    std::optional<TrialResult> run(std::string_view step, const ExternalWorkload& external,
                                   const std::vector<std::string>& command, int threads, double timeout_s,
                                   Interrupts interrupts) const;

    CpuSet cpus_;
    int interrupt_fd_;
    std::map<std::string, Known> known_;  ///< by label
};

}  // namespace pinwise
