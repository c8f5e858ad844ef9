#include "runner/trial/migration_metrics.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pinwise {
namespace {

constexpr std::string_view vmstat_text =
    "nr_free_pages 1\nnuma_hit 5\nnuma_local 1000\nnuma_pte_updates 2048\nnuma_huge_pte_updates 3\n"
    "numa_hint_faults 10\nnuma_hint_faults_local 7\nnuma_pages_migrated 40\npgmigrate_success 50\npgmigrate_fail 2\n";

TrialResult scanned() {
    TrialResult result;
    ScanTotals& scan = result.scan.emplace();
    scan[ScanCounter::numa_pte_updates] = 4096;
    scan[ScanCounter::numa_hint_faults] = 3;
    scan[ScanCounter::numa_hint_faults_local] = 2;
    scan[ScanCounter::numa_pages_migrated] = 17;
    scan[ScanCounter::scans] = 8;
    scan[ScanCounter::scans_overlapping] = 2;
    scan[ScanCounter::scan_system_ns] = 1'500'000'000;
    scan[ScanCounter::fault_system_ns] = 500'000'000;
    result.local_shares = LocalShares{.start = 50, .end = 97};
    return result;
}

std::optional<double> value_of_row(const std::vector<Metric>& rows, std::string_view name) {
    const auto row = std::ranges::find(rows, name, &Metric::name);
    return row == rows.end() ? std::nullopt : std::optional(row->value);
}

TEST(NumaVmstat, IsReadByTheKernelsNames) {
    const NumaVmstat vmstat = parse_vmstat(vmstat_text);
    EXPECT_EQ(value_of(vmstat, VmstatCounter::numa_local), 1000U);
    EXPECT_EQ(value_of(vmstat, VmstatCounter::numa_hint_faults), 10U);
    EXPECT_EQ(value_of(vmstat, VmstatCounter::numa_hint_faults_local), 7U);
    EXPECT_EQ(value_of(vmstat, VmstatCounter::pgmigrate_fail), 2U);
}

TEST(NumaVmstat, HasNothingWhereTheKernelHasNothing) {
    for (const char* text :
         {"", "\n", "numa_local", "numa_local ", "numa_local x\n", "numa_local 1 2\n", "xnuma_local 1\n"})
        EXPECT_FALSE(value_of(parse_vmstat(text), VmstatCounter::numa_local)) << text;
}

TEST(NumaVmstat, IsSubtractedCounterByCounter) {
    const NumaVmstat earlier = parse_vmstat("numa_local 10\nnuma_hint_faults 5\n");
    const NumaVmstat later = parse_vmstat("numa_local 15\nnuma_hint_faults 4\nnuma_pte_updates 3\n");
    const NumaVmstat difference = later - earlier;
    EXPECT_EQ(value_of(difference, VmstatCounter::numa_local), 5U);
    EXPECT_FALSE(value_of(difference, VmstatCounter::numa_hint_faults)) << "counters that were reset";
    EXPECT_FALSE(value_of(difference, VmstatCounter::numa_pte_updates));
}

TEST(MigrationMetrics, OfTheKernelAreThoseOfVmstat) {
    for (const char* migration : {"kernel", "none"}) {
        const auto rows = migration_metrics(migration, {}, parse_vmstat(vmstat_text));
        EXPECT_EQ(value_of_row(rows, "numa_pte_updates"), 2048);
        EXPECT_EQ(value_of_row(rows, "numa_page_range_updates"), 2048);
        EXPECT_EQ(value_of_row(rows, "numa_base_pte_updates"), 2048 - 3 * 512);
        EXPECT_EQ(value_of_row(rows, "numa_hint_local_percent"), 70);
        EXPECT_EQ(value_of_row(rows, "numa_pages_migrated"), 40);
        EXPECT_EQ(value_of_row(rows, "numa_alloc_local"), 1000);
        EXPECT_FALSE(value_of_row(rows, "scanner_system_time"));
    }
}

TEST(MigrationMetrics, SplitUpdatesAsTheTableOf2018Does) {
    for (const auto& [range, base, huge] : {std::array<std::uint64_t, 3>{279832690, 140481138, 272171},
                                            std::array<std::uint64_t, 3>{186129660, 93577468, 180766}}) {
        const auto rows = migration_metrics(
            "kernel", {}, parse_vmstat(fmt::format("numa_pte_updates {}\nnuma_huge_pte_updates {}\n", range, huge)));
        EXPECT_EQ(value_of_row(rows, "numa_page_range_updates"), static_cast<double>(range));
        EXPECT_EQ(value_of_row(rows, "numa_base_pte_updates"), static_cast<double>(base));
    }
}

TEST(MigrationMetrics, OfOurScannerStandInTheSameRowsWithTheKernelsBeside) {
    const auto rows = migration_metrics("scan-staggered", scanned(), parse_vmstat(vmstat_text));
    EXPECT_EQ(value_of_row(rows, "numa_pte_updates"), 4096);
    EXPECT_FALSE(value_of_row(rows, "numa_huge_pte_updates")) << "not known, which is not 0";
    EXPECT_FALSE(value_of_row(rows, "numa_base_pte_updates"));
    EXPECT_EQ(value_of_row(rows, "numa_hint_local_percent"), 66);
    EXPECT_EQ(value_of_row(rows, "numa_pages_migrated"), 17);
    EXPECT_EQ(value_of_row(rows, "scan_overlap"), 25);
    EXPECT_EQ(value_of_row(rows, "scanner_system_time"), 2);
    EXPECT_EQ(value_of_row(rows, "vmstat_numa_pte_updates"), 2048);
    EXPECT_EQ(value_of_row(rows, "vmstat_pgmigrate_success"), 50);
    EXPECT_EQ(value_of_row(rows, "local_page_share_start"), 50);
    EXPECT_EQ(value_of_row(rows, "local_page_share_end"), 97);
    std::set<std::string> names;
    for (const Metric& row : rows)
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(MigrationMetrics, OfAScannerThatDidNotReportAreNotTheKernels) {
    const auto rows = migration_metrics("scan-unstaggered", {}, parse_vmstat(vmstat_text));
    EXPECT_FALSE(value_of_row(rows, "numa_pte_updates"));
    EXPECT_EQ(value_of_row(rows, "vmstat_numa_pte_updates"), 2048);
}

TEST(MigrationMetrics, HaveNoPercentWithoutFaults) {
    const auto rows = migration_metrics("kernel", {}, parse_vmstat("numa_hint_faults 0\n"));
    EXPECT_EQ(value_of_row(rows, "numa_hint_faults"), 0);
    EXPECT_FALSE(value_of_row(rows, "numa_hint_local_percent"));
}

}  // namespace
}  // namespace pinwise
