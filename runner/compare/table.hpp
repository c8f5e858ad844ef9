#pragma once
/// A comparison as a table for the terminal. Pure.

#include <span>
#include <string>
#include <string_view>

#include "runner/compare/comparison.hpp"

namespace pinwise {

/// One table per comparison and, below the last, the legend of the marks. `machine_kind` is that of machine.json: times
/// and rates of an "emulated" machine are labelled as no measurement in each table.
std::string format_tables(std::span<const Comparison> comparisons, std::string_view machine_kind = "");

}  // namespace pinwise
