#pragma once
/// Starts a program as a process group of its own, with its outputs on pipes: the first half of wait_for_group().

#include <cstdint>

#include <sys/types.h>

#include "placer/agent/launch.hpp"
#include "placer/result.hpp"

namespace pinwise {

struct PipedGroup {
    pid_t pid = 0;
    std::int64_t start_ns = 0;
    int out_fd = -1;  ///< reading end; owned by wait_for_group()
    int err_fd = -1;
};

/// Sets standard input (nothing), outputs and group of `spec`; it ends with its caller. Errors: as launch().
Result<PipedGroup> launch_piped(LaunchSpec spec, LaunchFacts* facts = nullptr);

}  // namespace pinwise
