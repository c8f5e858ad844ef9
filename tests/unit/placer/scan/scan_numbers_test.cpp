#include <array>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/scan/page_residency.hpp"
#include "placer/scan/scan_counters.hpp"
#include "tests/unit/placer/scan/simulated_pages.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;

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

TEST(ScanTotals, SplitUpdatesAsTheTableOf2018Does) {
    for (const auto& [range, base, huge] : {std::array<std::uint64_t, 3>{279832690, 140481138, 272171},
                                            std::array<std::uint64_t, 3>{186129660, 93577468, 180766}}) {
        ScanTotals totals;
        totals[ScanCounter::numa_pte_updates] = range;
        totals[ScanCounter::numa_huge_pte_updates] = huge;
        EXPECT_EQ(totals.page_range_updates(), range);
        EXPECT_EQ(totals.base_pte_updates(), base);
    }
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

TEST(Residency, IsSampledEvenly) {
    SimulatedPages pages;
    pages.fill(0x100000, 100 * 4096, 0);
    pages.fill(0x100000 + 100 * 4096, 300 * 4096, 3);
    const AddressRange range{0x100000, 0x100000 + 500 * 4096};
    const PageResidency sampled = sample_residency(pages, range, 50);
    EXPECT_THAT(sampled.pages_on_node, ElementsAre(10, 0, 0, 30));
    EXPECT_EQ(sampled.not_present, 10U);
    EXPECT_DOUBLE_EQ(sampled.percent_on(3), 75);
    EXPECT_DOUBLE_EQ(sampled.percent_on(7), 0);
    EXPECT_DOUBLE_EQ(sampled.percent_on(-1), 0);
    EXPECT_THAT(sample_residency(pages, range).pages_on_node, ElementsAre(100, 0, 0, 300));
    EXPECT_EQ(sample_residency(pages, {}).present(), 0U);
    pages.refuses = EPERM;
    EXPECT_EQ(sample_residency(pages, range, 50).unknown, 50U);
}

TEST(NumaMaps, TellWhereAnonymousPagesAre) {
    const auto mappings = parse_numa_maps(
        "55d0a000 default file=/usr/bin/cat mapped=5 N0=5 kernelpagesize_kB=4\n"
        "55d1b000 default heap anon=3 dirty=3 N0=1 N1=2 kernelpagesize_kB=4\n"
        "7f000000 bind:0-1 anon=2048 dirty=2048 active=0 N0=512 N2=1536 kernelpagesize_kB=4\n"
        "7f900000 default huge anon=2 dirty=2 N1=2 kernelpagesize_kB=2048\n"
        "7ffe0000 default stack anon=5 dirty=5 N0=5 kernelpagesize_kB=4\n"
        "7fff0000 default\n"
        "not a mapping\n"
        "7fff1000 default anon=1 N99999999999999999999=1 N4000000=1 Nx=1 N0=x\n");
    ASSERT_EQ(mappings.size(), 7U);
    EXPECT_EQ(mappings[0].file, "/usr/bin/cat");
    EXPECT_EQ(mappings[1].file, "heap");
    EXPECT_EQ(mappings[2].policy, "bind:0-1");
    EXPECT_EQ(mappings[2].start, 0x7f000000U);
    EXPECT_THAT(mappings[2].pages_on_node, ElementsAre(512, 0, 1536));
    EXPECT_EQ(mappings[3].page_bytes, 2U << 20);
    EXPECT_THAT(mappings[6].pages_on_node, testing::IsEmpty());
    const PageResidency all = anonymous_residency(mappings);
    EXPECT_THAT(all.pages_on_node, ElementsAre(1 + 512, 2 + 2 * 512, 1536));
}

TEST(Residency, AddsUp) {
    PageResidency a{.pages_on_node = {1, 2}, .not_present = 3, .unknown = 4};
    a += {.pages_on_node = {10, 0, 5}, .not_present = 1, .unknown = 1};
    EXPECT_THAT(a.pages_on_node, ElementsAre(11, 2, 5));
    EXPECT_EQ(a.present(), 18U);
    EXPECT_EQ(a.not_present, 4U);
    EXPECT_EQ(a.unknown, 5U);
}

}  // namespace
}  // namespace pinwise
