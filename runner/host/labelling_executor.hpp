#pragma once
/// An executor around another one: looks at the host before and after each trial, and labels the result.

#include <string>

#include "placer/topology/machine.hpp"
#include "runner/host/host_sample.hpp"
#include "runner/trial/executor.hpp"
#include "runner/trial/labels.hpp"

namespace pinwise {

class LabellingExecutor final : public Executor {
public:
    /// `inner` and `machine` must outlive it; `of_run` is what is known of the machine when the run starts
    /// (label_facts()). `root` is "" for this machine, or a folder with proc/ and sys/ in it.
    LabellingExecutor(Executor& inner, const Machine& machine, LabelFacts of_run, std::string root = "");

    /// Neighbours' latency is measured on virtual machines only, outside the trial's time.
    TrialResult run(const TrialSpec& spec) override;

private:
    [[nodiscard]] std::optional<double> neighbour_ns(const CpuSet& cpus) const;

    Executor& inner_;
    const Machine& machine_;
    LabelFacts of_run_;
    SystemFiles files_;
};

}  // namespace pinwise
