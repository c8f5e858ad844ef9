#pragma once
/// Where the next scan goes on: walks over the armable ranges window by window, and round again.

#include <cstddef>
#include <cstdint>
#include <span>

#include "placer/scan/address_range.hpp"

namespace pinwise {

/// Kept between scans; the ranges may change from one to the next (an address, not a place in a list, is remembered).
/// Allocates nothing.
class ScanCursor {
public:
    /// The next piece of `ranges` (ascending, disjoint) to arm, at most `most_bytes` long, beginning and ending at
    /// multiples of `granule_bytes` (a power of two). Empty at the end of a pass; the next call begins another one.
    /// Pieces are cut at multiples of 2 MiB where that is possible, so that no huge page is armed in part.
    AddressRange next(std::span<const AddressRange> ranges, std::size_t most_bytes, std::size_t granule_bytes) noexcept;

    void restart() noexcept { position_ = 0; }

private:
    std::uintptr_t position_ = 0;
};

}  // namespace pinwise
