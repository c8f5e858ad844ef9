#pragma once
/// Whether this machine or container lets us follow a program of ours with ptrace.

#include "placer/result.hpp"

namespace pinwise {

/// Tries it on a child that does nothing. A failure says who refuses, as far as that can be told.
Result<void> check_ptrace();

}  // namespace pinwise
