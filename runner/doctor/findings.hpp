#pragma once
/// What a measurement on this machine will lack, and what would permit it. Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/doctor/doctor_facts.hpp"

namespace pinwise {

enum class FindingState : std::uint8_t {
    fine,
    lacking,  ///< a measurement lacks something, or is worth less
    unknown,  ///< the machine does not tell
};

std::string_view to_string(FindingState state);

struct Finding {
    std::string_view name;  ///< "tracefs"
    FindingState state = FindingState::fine;
    std::string found;   ///< what was found, with whoever refused
    std::string lacks;   ///< what a measurement will lack; "" when fine
    std::string permit;  ///< a command that would permit it, or what else to do; "" when nothing can be done
};

/// One for everything that is looked at, always all of them, in one order.
std::vector<Finding> examine(const DoctorFacts& facts);

/// A line or three for each, those that lack something first.
std::string format_findings(const std::vector<Finding>& findings);

/// {"schema": 1, "lacking": N, "findings": [{"name", "state", "found", "lacks", "permit"}, ...]}
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace pinwise
