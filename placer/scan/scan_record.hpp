#pragma once
/// What scanning did in a session, as plain numbers.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "placer/scan/shared_scan.hpp"

namespace pinwise {

struct ScanRecord {
    ScanMode mode = ScanMode::off;
    ScanState state = ScanState::off;
    ScanTotals totals;
    std::array<std::uint64_t, max_counted_errno> move_failures{};  ///< pages, by errno
};

ScanRecord read_scan_record(const SharedScan& shared);

/// For people: three lines at most, each ending in a newline.
std::string format_scan_record(const ScanRecord& record);

}  // namespace pinwise
