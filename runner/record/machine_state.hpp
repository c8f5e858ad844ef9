#pragma once
/// Single facts of the machine that several parts ask for.

#include <optional>
#include <string>
#include <string_view>

#include "placer/result.hpp"
#include "placer/topology/machine.hpp"
#include "runner/record/system_files.hpp"

namespace pinwise {

/// "emulated" when instructions are interpreted (QEMU's TCG), "virtual" under a hypervisor, else "physical". Timing on
/// an emulated machine says nothing about hardware.
Result<std::string> machine_kind(const SystemFiles& files);

/// The setting of every CPU's governor: one word when they agree.
Result<std::string> governors(const Machine& machine, const SystemFiles& files);

/// The number a text begins with.
std::optional<double> leading_number(std::string_view text);
/// The number that `text` has behind `before`.
std::optional<double> number_behind(std::string_view text, std::string_view before);

}  // namespace pinwise
