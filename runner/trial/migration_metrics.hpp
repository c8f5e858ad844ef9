#pragma once
/// What page migration did in a trial, as metrics under the kernel's names: ours and the kernel's in the same rows.

#include <optional>
#include <string_view>
#include <vector>

#include "runner/trial/numa_vmstat.hpp"
#include "runner/trial/trial.hpp"

namespace pinwise {

/// Rows `numa_*` are of whoever scans in this trial: our scanner where `migration` is one of its modes (`result.scan`
/// has its counters), else the kernel (`vmstat`, counted over the trial, of the whole system). Rows `vmstat_*` are the
/// kernel's in any case. `scan_overlap` and `scanner_system_time` exist for our scanner only: the kernel does not tell.
/// What is not known has no row.
std::vector<Metric> migration_metrics(std::string_view migration, const TrialResult& result, const NumaVmstat& vmstat);

/// Before the name of a ScanMode, one of our scanner's.
inline constexpr std::string_view scan_mode_prefix = "scan-";

/// Whether the word is one of our scanner's modes.
bool is_scan_mode(std::string_view migration);

}  // namespace pinwise
