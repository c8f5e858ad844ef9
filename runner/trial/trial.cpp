#include "runner/trial/trial.hpp"

#include <utility>

namespace pinwise {

TrialResult failed_trial(std::string reason) {
    TrialResult result;
    result.status = TrialStatus::failed;
    result.reason = std::move(reason);
    return result;
}

}  // namespace pinwise
