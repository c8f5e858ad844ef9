#pragma once
/// A run of hackbench: all workers made, released at one moment, and waited for.

#include "workloads/common/child_processes.hpp"
#include "workloads/common/expected.hpp"
#include "workloads/hackbench/command_line.hpp"

namespace pinwise::hackbench {

/// Seconds from the release of the workers until the last one has ended (thread mode: has been joined). Every receiver
/// has had every byte. Fails, with nothing left running, when a worker ends badly or cannot be made, at a signal, and
/// at the time limit.
workloads::Expected<double> run_hackbench(const Options& options, workloads::ChildProcesses& children);

}  // namespace pinwise::hackbench
