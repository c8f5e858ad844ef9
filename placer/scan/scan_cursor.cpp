#include "placer/scan/scan_cursor.hpp"

#include <algorithm>

namespace pinwise {

namespace {

constexpr std::size_t huge_page_bytes = 2U << 20;

constexpr std::uintptr_t aligned_down(std::uintptr_t address, std::size_t to) {
    return address & ~(to - 1);
}

}  // namespace

AddressRange ScanCursor::next(std::span<const AddressRange> ranges, std::size_t most_bytes,
                              std::size_t granule_bytes) noexcept {
    for (const AddressRange& range : ranges) {
        const std::uintptr_t from = std::max(range.begin, position_);
        const std::uintptr_t begin = aligned_down(from + granule_bytes - 1, granule_bytes);
        const std::uintptr_t last = aligned_down(range.end, granule_bytes);
        if (range.end <= from || begin >= last) continue;
        std::uintptr_t end = std::min(last, begin + std::max(aligned_down(most_bytes, granule_bytes), granule_bytes));
        if (end < last && aligned_down(end, huge_page_bytes) > begin) end = aligned_down(end, huge_page_bytes);
        position_ = end;
        return {begin, end};
    }
    position_ = 0;
    return {};
}

}  // namespace pinwise
