#pragma once
/// The program around a kernel: options, team, memory check, run, report.

#include "workloads/npb/common/kernel.hpp"

namespace pinwise::npb {

/// main's body of every NPB program; returns the exit status.
int kernel_program(const Kernel& kernel, int argc, char** argv);

}  // namespace pinwise::npb
