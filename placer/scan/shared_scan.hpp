#pragma once
/// What the processes of a session share of scanning: what was asked for, and everything that was counted. Lies in the
/// session's memory, so it outlives a crash of the program; all zero is right to begin with.

#include <array>
#include <atomic>
#include <cstdint>

#include "placer/scan/page_mover.hpp"
#include "placer/scan/scan_counters.hpp"
#include "placer/scan/scan_settings.hpp"
#include "placer/scan/scan_state.hpp"

namespace pinwise {

struct SharedScan {
    ScanSettings settings;
    std::uint32_t anyway = 0;  ///< 1: scan also where nothing can move (for tests and measurements of the cost)
    std::uint32_t huge_by_default = 0;  ///< 1: the kernel backs memory with huge pages unasked ("always")
    double local_ns_per_byte = 0;       ///< reading memory, measured by the session's owner

    std::atomic<ScanState> state{ScanState::off};
    /// PSI memory "some avg10" in thousandths of a percent, plus one; 0: the kernel does not tell. Kept up by the
    /// session's owner.
    std::atomic<std::uint32_t> stalled_plus_one{0};
    ScanCounters counters;
    std::array<std::atomic<std::uint64_t>, max_counted_errno> move_failures{};  ///< pages, by errno
};
static_assert(std::atomic<ScanState>::is_always_lock_free);

}  // namespace pinwise
