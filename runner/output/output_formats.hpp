#pragma once
/// Outputs of well-known programs that are understood by name.

#include <span>
#include <string_view>

#include "runner/output/output_rules.hpp"

namespace pinwise {

/// In the order of the table.
std::span<const std::string_view> output_format_names();

/// nullptr when there is none of that name.
const OutputRules* find_output_format(std::string_view name);

}  // namespace pinwise
