#include "runner/trial/run_trials.hpp"

namespace pinwise {

Result<RunOutcome> run_trials(std::span<const TrialSpec> trials, Executor& executor, const TrialCallbacks& callbacks) {
    RunOutcome outcome;
    for (const TrialSpec& spec : trials) {
        if (callbacks.before) callbacks.before(spec);
        const TrialResult result = executor.run(spec);
        if (result.status == TrialStatus::interrupted) {
            outcome.interrupted = true;
            break;
        }
        if (const auto recorded = callbacks.record(spec, result); !recorded)
            return tl::unexpected<Error>(recorded.error());
        ++outcome.done;
        if (result.status == TrialStatus::failed) ++outcome.failed;
        if (callbacks.after) callbacks.after(spec, result);
    }
    return outcome;
}

}  // namespace pinwise
