#pragma once
/// The threads of a session as CSV: what `pinwise exec --record` writes. The columns are documented in docs/agent.md.

#include <span>
#include <string>
#include <string_view>

#include "placer/agent/thread_record.hpp"
#include "placer/scan/scan_record.hpp"

namespace pinwise::cli {

/// Header and one record per thread. What is not known is an empty cell. `mem_policy`: the state of the memory policy,
/// the same for all; empty where none was asked for, as the cells of scanning are.
std::string format_threads(std::span<const ThreadRecord> threads, std::string_view mem_policy, const ScanRecord& scan);

/// How the program's own wishes for a thread's affinity were dealt with: "respected", "overridden(2)", or "".
std::string program_affinity(const ThreadRecord& thread);

/// All of `text`, however many writes it takes. Returns 0, or the errno of the write that failed.
int write_all(int descriptor, std::string_view text);

}  // namespace pinwise::cli
