#include "runner/trial/migration_metrics.hpp"

#include <string>

#include "runner/trial/steady_time.hpp"

namespace pinwise {

namespace {

constexpr std::uint64_t base_pages_in_huge_page = 512;

/// Counters that both have, and that of huge pages, which our scanner does not know.
struct Counts {
    std::optional<std::uint64_t> pte_updates;
    std::optional<std::uint64_t> huge_pte_updates;
    std::optional<std::uint64_t> hint_faults;
    std::optional<std::uint64_t> hint_faults_local;
    std::optional<std::uint64_t> pages_migrated;
};

Counts counts_of(const ScanTotals& scan) {
    return {.pte_updates = scan[ScanCounter::numa_pte_updates],
            .huge_pte_updates = {},
            .hint_faults = scan[ScanCounter::numa_hint_faults],
            .hint_faults_local = scan[ScanCounter::numa_hint_faults_local],
            .pages_migrated = scan[ScanCounter::numa_pages_migrated]};
}

Counts counts_of(const NumaVmstat& vmstat) {
    return {.pte_updates = value_of(vmstat, VmstatCounter::numa_pte_updates),
            .huge_pte_updates = value_of(vmstat, VmstatCounter::numa_huge_pte_updates),
            .hint_faults = value_of(vmstat, VmstatCounter::numa_hint_faults),
            .hint_faults_local = value_of(vmstat, VmstatCounter::numa_hint_faults_local),
            .pages_migrated = value_of(vmstat, VmstatCounter::numa_pages_migrated)};
}

class Rows {
public:
    void add(std::string name, std::string unit, std::optional<double> value, Better better = Better::lower) {
        if (value) rows_.push_back({std::move(name), std::move(unit), *value, better});
    }
    void count(std::string name, std::string unit, std::optional<std::uint64_t> value, Better better = Better::lower) {
        if (value) add(std::move(name), std::move(unit), static_cast<double>(*value), better);
    }
    std::vector<Metric> take() && { return std::move(rows_); }

private:
    std::vector<Metric> rows_;
};

/// mmtests' "base PTE updates"; its "page range updates" are the kernel's numa_pte_updates.
std::optional<std::uint64_t> base_pte_updates(const Counts& counts) {
    if (!counts.pte_updates || !counts.huge_pte_updates) return {};
    const std::uint64_t huge = *counts.huge_pte_updates * base_pages_in_huge_page;
    return *counts.pte_updates > huge ? *counts.pte_updates - huge : 0;
}

/// The arithmetic of ScanTotals, over counters that may be the kernel's.
void add_counts(const Counts& counts, Rows& rows) {
    ScanTotals totals;
    totals[ScanCounter::numa_hint_faults] = counts.hint_faults.value_or(0);
    totals[ScanCounter::numa_hint_faults_local] = counts.hint_faults_local.value_or(0);
    rows.count("numa_pte_updates", "pages", counts.pte_updates);
    rows.count("numa_huge_pte_updates", "huge pages", counts.huge_pte_updates);
    rows.count("numa_page_range_updates", "pages", counts.pte_updates);
    rows.count("numa_base_pte_updates", "pages", base_pte_updates(counts));
    rows.count("numa_hint_faults", "faults", counts.hint_faults);
    rows.count("numa_hint_faults_local", "faults", counts.hint_faults_local, Better::higher);
    if (counts.hint_faults.value_or(0) > 0)
        rows.count("numa_hint_local_percent", "%", totals.local_percent(), Better::higher);
    rows.count("numa_pages_migrated", "pages", counts.pages_migrated);
}

void add_scanner(const ScanTotals& scan, Rows& rows) {
    rows.count("scans", "scans", scan[ScanCounter::scans]);
    rows.add("scan_overlap", "%", 100 * scan.scan_overlap());
    rows.add("scanner_system_time", "s", static_cast<double>(scan.system_ns()) / ns_per_s);
    rows.count("scan_moves_failed", "pages",
               scan[ScanCounter::move_pages_failed] + scan[ScanCounter::move_pages_not_processed]);
}

}  // namespace

bool is_scan_mode(std::string_view migration) {
    return migration.starts_with(scan_mode_prefix);
}

std::vector<Metric> migration_metrics(std::string_view migration, const TrialResult& result, const NumaVmstat& vmstat) {
    Rows rows;
    if (result.local_shares) {
        rows.add("local_page_share_start", "%", result.local_shares->start, Better::higher);
        rows.add("local_page_share_end", "%", result.local_shares->end, Better::higher);
    }
    if (!is_scan_mode(migration)) {
        add_counts(counts_of(vmstat), rows);
    } else if (result.scan) {
        add_counts(counts_of(*result.scan), rows);
        add_scanner(*result.scan, rows);
    }
    rows.count("numa_alloc_local", "pages", value_of(vmstat, VmstatCounter::numa_local), Better::higher);
    for (auto i = static_cast<std::size_t>(VmstatCounter::numa_pte_updates); i < vmstat.size(); ++i) {
        const auto counter = static_cast<VmstatCounter>(i);
        const bool good = counter == VmstatCounter::numa_hint_faults_local;
        rows.count("vmstat_" + std::string(to_string(counter)), "events", vmstat[i],
                   good ? Better::higher : Better::lower);
    }
    return std::move(rows).take();
}

}  // namespace pinwise
