#pragma once
/// The loop over all trials.

#include <functional>
#include <span>

#include "placer/result.hpp"
#include "runner/trial/executor.hpp"
#include "runner/trial/trial.hpp"

namespace pinwise {

/// What happens around each trial.
struct TrialCallbacks {
    std::function<void(const TrialSpec&)> before;                              ///< progress; may be empty
    std::function<Result<void>(const TrialSpec&, const TrialResult&)> record;  ///< an error ends the run
    std::function<void(const TrialSpec&, const TrialResult&)> after = {};      ///< progress; may be empty
};

struct RunOutcome {
    int done = 0;  ///< trials recorded, the failed ones included
    int failed = 0;
    bool interrupted = false;
};

/// Runs the trials in the order given. Each is recorded before the next starts; a failed one does not end the run, an
/// interrupted one does and is not recorded. The error is that of `record`.
Result<RunOutcome> run_trials(std::span<const TrialSpec> trials, Executor& executor, const TrialCallbacks& callbacks);

}  // namespace pinwise
