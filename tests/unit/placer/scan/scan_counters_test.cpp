#include "placer/scan/scan_counters.hpp"

#include <set>

#include <gtest/gtest.h>

namespace pinwise {
namespace {

TEST(ScanCounters, HaveANameAndAUnitEach) {
    std::set<std::string_view> names;
    for (const auto& [name, unit] : scan_counter_names()) {
        EXPECT_FALSE(name.empty());
        EXPECT_FALSE(unit.empty());
        EXPECT_TRUE(names.insert(name).second) << name;
    }
    EXPECT_EQ(scan_counter_names()[static_cast<std::size_t>(ScanCounter::numa_pages_migrated)].name,
              "numa_pages_migrated");
    EXPECT_EQ(scan_counter_names()[static_cast<std::size_t>(ScanCounter::faults_passed_on)].name, "faults_passed_on");
}

TEST(ScanTotals, TruncateTheLocalPercent) {
    ScanTotals totals;
    EXPECT_EQ(totals.local_percent(), 0U);
    EXPECT_EQ(totals.scan_overlap(), 0);
    totals[ScanCounter::numa_hint_faults] = 1395972;
    totals[ScanCounter::numa_hint_faults_local] = 877925;
    EXPECT_EQ(totals.local_percent(), 62U);
    totals[ScanCounter::numa_hint_faults] = 1193897;
    totals[ScanCounter::numa_hint_faults_local] = 855053;
    EXPECT_EQ(totals.local_percent(), 71U);
}

TEST(ScanCounters, AddUp) {
    ScanCounters counters;
    counters.add(ScanCounter::scans);
    counters.add(ScanCounter::scans);
    counters.add(ScanCounter::scans_overlapping);
    counters.add(ScanCounter::scan_system_ns, 30);
    counters.add(ScanCounter::fault_system_ns, 12);
    const ScanTotals totals = counters.read();
    EXPECT_DOUBLE_EQ(totals.scan_overlap(), 0.5);
    EXPECT_EQ(totals.system_ns(), 42U);
}

}  // namespace
}  // namespace pinwise
