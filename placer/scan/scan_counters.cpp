#include "placer/scan/scan_counters.hpp"

namespace pinwise {

const std::array<ScanCounterName, scan_counter_count>& scan_counter_names() {
    static constexpr std::array<ScanCounterName, scan_counter_count> names{{
        {"numa_pte_updates", "pages"},
        {"numa_hint_faults", "faults"},
        {"numa_hint_faults_local", "faults"},
        {"numa_pages_migrated", "pages"},
        {"scans", "scans"},
        {"scans_overlapping", "scans"},
        {"scans_lost", "scans"},
        {"scan_passes", "passes"},
        {"scan_system_ns", "ns"},
        {"fault_system_ns", "ns"},
        {"move_system_ns", "ns"},
        {"move_pages_examined", "pages"},
        {"move_pages_local_already", "pages"},
        {"move_pages_failed", "pages"},
        {"move_pages_not_processed", "pages"},
        {"move_bytes", "bytes"},
        {"moves_dropped", "granules"},
        {"moves_not_worth", "granules"},
        {"arming_failed", "calls"},
        {"faults_passed_on", "faults"},
    }};
    return names;
}

std::uint64_t ScanTotals::local_percent() const {
    const std::uint64_t faults = (*this)[ScanCounter::numa_hint_faults];
    return faults == 0 ? 0 : (*this)[ScanCounter::numa_hint_faults_local] * 100 / faults;
}

double ScanTotals::scan_overlap() const {
    const std::uint64_t scans = (*this)[ScanCounter::scans];
    return scans == 0 ? 0 : static_cast<double>((*this)[ScanCounter::scans_overlapping]) / static_cast<double>(scans);
}

std::uint64_t ScanTotals::system_ns() const {
    return (*this)[ScanCounter::scan_system_ns] + (*this)[ScanCounter::fault_system_ns] +
           (*this)[ScanCounter::move_system_ns];
}

ScanTotals ScanCounters::read() const noexcept {
    ScanTotals totals;
    for (std::size_t i = 0; i < scan_counter_count; ++i)
        totals.values[i] = values_[i].load(std::memory_order_relaxed);
    return totals;
}

}  // namespace pinwise
