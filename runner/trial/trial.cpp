#include "runner/trial/trial.hpp"

#include <utility>

namespace pinwise {

std::string_view to_string(Better better) {
    return better == Better::higher ? "higher" : "lower";
}

TrialResult failed_trial(std::string reason) {
    TrialResult result;
    result.status = TrialStatus::failed;
    result.reason = std::move(reason);
    return result;
}

}  // namespace pinwise
