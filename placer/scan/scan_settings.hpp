#pragma once
/// What a user may choose of page-migration scanning. Plain, fixed-size data: it lies in the session's shared memory.

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "placer/result.hpp"
#include "placer/scan/scan_clock.hpp"

namespace pinwise {

enum class ScanMode : std::uint32_t {
    off,
    unstaggered,  ///< all threads' clocks start together: Linux before 4.18
    staggered,    ///< a new thread's first scan is delayed in proportion to the threads there are
};

inline constexpr double default_scan_horizon_s = 10;

/// 64 KiB; measured, see docs/scan.md.
inline constexpr std::uint64_t default_granule_bytes = 64ULL << 10;

/// Smaller mappings and blocks are not worth their faults.
inline constexpr std::size_t least_armable_bytes = 4U << 20;

struct ScanSettings {
    ScanMode mode = ScanMode::off;
    std::uint32_t faithful = 0;                           ///< 1: with the kernel's quirks (ScanTunables::faithful)
    std::uint64_t granule_bytes = default_granule_bytes;  ///< power of two, 64 KiB to 2 MiB
    double horizon_s = default_scan_horizon_s;            ///< moves that pay back later than this are not made
    std::uint32_t delay_ms = ScanTunables{}.delay_ms;     ///< see ScanTunables, as the next three
    std::uint32_t period_min_ms = ScanTunables{}.period_min_ms;
    std::uint32_t period_max_ms = ScanTunables{}.period_max_ms;
    std::uint64_t window_bytes = ScanTunables{}.window_bytes;
};
static_assert(std::is_trivially_copyable_v<ScanSettings>);

/// `off`, `unstaggered`, `staggered`. Errors (usage): anything else, and the nearest of them.
Result<ScanMode> parse_scan_mode(std::string_view text);
std::string_view to_string(ScanMode mode);

/// Errors (usage): granule not a power of two in 64 KiB to 2 MiB, horizon not a positive number,
/// periods of 0 ms or minimum above maximum, a window smaller than a granule.
Result<void> check_scan_settings(const ScanSettings& settings);

/// The clock's numbers for these settings: `staggered` is Stagger::as_intended, or as_coded when faithful.
ScanTunables tunables_of(const ScanSettings& settings);

}  // namespace pinwise
