#include "placer/scan/scan_settings.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinwise {
namespace {

using testing::HasSubstr;

TEST(ScanMode, IsReadAndWritten) {
    for (const ScanMode mode : {ScanMode::off, ScanMode::unstaggered, ScanMode::staggered}) {
        ASSERT_TRUE(parse_scan_mode(to_string(mode)));
        EXPECT_EQ(*parse_scan_mode(to_string(mode)), mode);
    }
}

TEST(ScanMode, ThatDoesNotExistIsAUsersMistake) {
    for (const char* text : {"", "on", "stagered", "Staggered", "off "}) {
        const auto mode = parse_scan_mode(text);
        ASSERT_FALSE(mode) << text;
        EXPECT_EQ(mode.error().kind, ErrorKind::usage);
    }
    EXPECT_THAT(parse_scan_mode("stagered").error().message, HasSubstr("did you mean staggered?"));
}

TEST(ScanSettings, HaveGranulesAndAHorizonThatMakeSense) {
    EXPECT_TRUE(check_scan_settings({}));
    for (const std::uint64_t granule : {64ULL << 10, 128ULL << 10, 2ULL << 20})
        EXPECT_TRUE(check_scan_settings({.granule_bytes = granule}));
    for (const std::uint64_t granule : {0ULL, 4096ULL, 65537ULL, 96ULL << 10, 4ULL << 20})
        EXPECT_FALSE(check_scan_settings({.granule_bytes = granule})) << granule;
    for (const double horizon : {0.0, -1.0, std::nan(""), HUGE_VAL})
        EXPECT_FALSE(check_scan_settings({.horizon_s = horizon})) << horizon;
}

TEST(ScanSettings, DecideTheClocks) {
    EXPECT_EQ(tunables_of({.mode = ScanMode::unstaggered}).stagger, Stagger::unstaggered);
    EXPECT_EQ(tunables_of({.mode = ScanMode::staggered}).stagger, Stagger::as_intended);
    EXPECT_EQ(tunables_of({.mode = ScanMode::staggered, .faithful = 1}).stagger, Stagger::as_coded);
    EXPECT_TRUE(tunables_of({.mode = ScanMode::unstaggered, .faithful = 1}).faithful);
}

}  // namespace
}  // namespace pinwise
