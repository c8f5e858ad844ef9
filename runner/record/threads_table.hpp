#pragma once
/// Reads threads.csv back. The columns are documented in results/README.md.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"

namespace pinwise {

/// Where one thread of one trial was.
struct ThreadRow {
    int trial = 0;
    int thread = 0;  ///< order of creation, 0 is the initial thread
    std::string name;
    std::optional<int> first_cpu;
    std::optional<int> first_node;
    std::optional<int> first_llc;
    std::optional<int> last_cpu;
    std::optional<std::int64_t> migrations;
};

/// Columns in any order, unknown ones skipped; a torn last line is left out. A missing column or a cell that is no
/// number where one belongs is a usage error `file:line: ...`.
Result<std::vector<ThreadRow>> parse_threads_csv(std::string_view text, const std::string& file);

}  // namespace pinwise
