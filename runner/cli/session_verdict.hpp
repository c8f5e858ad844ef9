#pragma once
/// What was asked for each thread, what the kernel gave, and what became of it: what `pinwise exec --verify` prints.

#include <span>
#include <string>

#include "placer/agent/thread_record.hpp"

namespace pinwise::cli {

/// A line per thread and one that sums them up; every line ends in a newline.
std::string format_verdict(std::span<const ThreadRecord> threads);

}  // namespace pinwise::cli
