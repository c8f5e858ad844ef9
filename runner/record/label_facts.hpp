#pragma once
/// From machine.json to what labels need to know of a run. Pure.

#include <string_view>

#include "placer/topology/machine.hpp"
#include "runner/trial/labels.hpp"

namespace pinwise {

/// What is known of the machine when a run starts; what the document lacks stays unknown.
LabelFacts label_facts(const Machine& machine, std::string_view machine_json);

}  // namespace pinwise
