#pragma once
/// What a run that was killed left in its tables, and how much of it stands. Pure.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "placer/result.hpp"

namespace pinwise {

/// The finished part of trials.csv and threads.csv: rows of a trial are written threads first, its last row of
/// trials.csv is `sys`, and nothing is written before what came earlier is on disk. So only the end can be unfinished.
struct FinishedPart {
    std::size_t trials_bytes = 0;   ///< of trials.csv, up to the last row of the last finished trial
    std::size_t threads_bytes = 0;  ///< of threads.csv, up to the last row of a finished trial
    std::set<int> trials;           ///< the finished ones
};

/// Usage errors `file:line: ...`: a table without header, or damaged elsewhere than at its end. `folder` is for
/// messages.
Result<FinishedPart> finished_part(std::string_view trials_csv, std::string_view threads_csv,
                                   const std::string& folder);

}  // namespace pinwise
