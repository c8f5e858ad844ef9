#include "placer/scan/scan_cursor.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace pinwise {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

std::vector<AddressRange> one_pass(ScanCursor& cursor, std::span<const AddressRange> ranges, std::size_t most,
                                   std::size_t granule) {
    std::vector<AddressRange> pieces;
    for (AddressRange piece = cursor.next(ranges, most, granule); !piece.empty();
         piece = cursor.next(ranges, most, granule))
        pieces.push_back(piece);
    return pieces;
}

TEST(ScanCursor, GoesOverEverythingOnceAPassInWholeGranules) {
    const std::vector<AddressRange> ranges{{0x10001000, 0x10001000 + 9 * mib}, {0x20000000, 0x20000000 + 3 * mib}};
    ScanCursor cursor;
    for (int pass = 0; pass < 2; ++pass) {
        std::uintptr_t last_end = 0;
        std::size_t bytes = 0;
        for (const AddressRange& piece : one_pass(cursor, ranges, 4 * mib, 64 * kib)) {
            EXPECT_GE(piece.begin, last_end);
            EXPECT_LE(piece.bytes(), 4 * mib);
            EXPECT_EQ(piece.begin % (64 * kib), 0U);
            EXPECT_EQ(piece.end % (64 * kib), 0U);
            last_end = piece.end;
            bytes += piece.bytes();
        }
        EXPECT_EQ(bytes, 9 * mib - 64 * kib + 3 * mib);
    }
}

TEST(ScanCursor, CutsAtHugePages) {
    const std::vector<AddressRange> ranges{{mib, 9 * mib}};
    ScanCursor cursor;
    EXPECT_EQ(cursor.next(ranges, 4 * mib, 64 * kib), (AddressRange{mib, 4 * mib}));
    EXPECT_EQ(cursor.next(ranges, 4 * mib, 64 * kib), (AddressRange{4 * mib, 8 * mib}));
    EXPECT_EQ(cursor.next(ranges, 64 * kib, 64 * kib), (AddressRange{8 * mib, 8 * mib + 64 * kib}));
}

TEST(ScanCursor, GoesOnByAddressWhenTheMappingsChange) {
    ScanCursor cursor;
    const std::vector<AddressRange> before{{0, 64 * mib}};
    cursor.next(before, 32 * mib, 64 * kib);
    const std::vector<AddressRange> after{{16 * mib, 24 * mib}, {40 * mib, 48 * mib}};
    EXPECT_EQ(cursor.next(after, 32 * mib, 64 * kib), (AddressRange{40 * mib, 48 * mib}));
    EXPECT_TRUE(cursor.next(after, 32 * mib, 64 * kib).empty());
    EXPECT_EQ(cursor.next(after, 32 * mib, 64 * kib), (AddressRange{16 * mib, 24 * mib}));
}

TEST(ScanCursor, LeavesOutWhatHoldsNoWholeGranule) {
    const std::vector<AddressRange> ranges{{4 * kib, 60 * kib}, {100 * kib, 130 * kib}, {65 * kib, 127 * kib}};
    ScanCursor cursor;
    EXPECT_TRUE(cursor.next(ranges, mib, 64 * kib).empty());
    EXPECT_TRUE(cursor.next({}, mib, 64 * kib).empty());
}

TEST(ScanCursor, TakesAtLeastAGranule) {
    const std::vector<AddressRange> ranges{{0, 8 * mib}};
    ScanCursor cursor;
    EXPECT_EQ(cursor.next(ranges, 1, 2 * mib), (AddressRange{0, 2 * mib}));
}

}  // namespace
}  // namespace pinwise
