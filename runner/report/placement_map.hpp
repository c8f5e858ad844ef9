#pragma once
/// The machine as nested boxes, package by node by last-level cache by CPU, with the threads of one trial where they
/// started. Pure.

#include <span>

#include "placer/topology/cpu_set.hpp"
#include "placer/topology/machine.hpp"
#include "runner/record/threads_table.hpp"
#include "runner/report/html.hpp"

namespace pinwise::report {

/// A CPU with one thread shows the thread's number, one with several their number with a multiplication sign. CPUs
/// outside `mask` are hatched. `name` is the accessible name; every box has a title in words.
Html placement_map(const Machine& machine, const CpuSet& mask, std::span<const ThreadRow* const> threads,
                   std::string_view name);

/// What the marks mean.
Html placement_legend();

}  // namespace pinwise::report
