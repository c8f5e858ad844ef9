#pragma once
/// Where the preload agent's library is.

#include <string>
#include <string_view>

#include "placer/result.hpp"

namespace pinwise {

/// PINWISE_AGENT where it is set; else beside the running program: ../lib (a build tree) or ../LIBDIR/pinwise (an
/// installation). A failure names the places that were tried.
Result<std::string> find_agent_library();

/// The one that also scans: beside the other, wherever that is.
Result<std::string> find_scanning_agent_library();

/// Whether a file name is one of the two's.
bool is_agent_library(std::string_view path);

/// The same for a program at `executable`.
Result<std::string> find_agent_library_beside(std::string_view executable);

}  // namespace pinwise
