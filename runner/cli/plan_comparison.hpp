#pragma once
/// What differs between two plans of the same threads.

#include <string>

#include "runner/cli/plan_output.hpp"

namespace pinwise::cli {

/// "stacked threads 4 → 0, sockets {8}{0} → {4}{4}, LLCs 4 → 8, 5 of 8 threads on another CPU": only what differs,
/// nodes only where they are not the sockets. "no difference" when every thread has the same CPU in both.
std::string describe_difference(const PolicyPlan& from, const PolicyPlan& to);

}  // namespace pinwise::cli
