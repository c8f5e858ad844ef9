#pragma once
/// What scanning did and cost, under the names of /proc/vmstat where the kernel has one. The kernel's
/// numa_huge_pte_updates is not among them: which pages are huge is not told without a descriptor (pagemap) that the
/// program would see, so it is not known, which is another thing than 0.

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace pinwise {

/// In the order of scan_counter_names.
enum class ScanCounter : std::uint32_t {
    numa_pte_updates,        ///< pages made inaccessible; a huge page counts 512
    numa_hint_faults,        ///< touches of armed memory; one a granule
    numa_hint_faults_local,  ///< of them by a thread on the page's node
    numa_pages_migrated,     ///< base pages moved because of them
    scans,                   ///< windows armed
    scans_overlapping,       ///< of them while another one of the same process was being armed
    scans_lost,              ///< claims that another thread won, or came too early
    scan_passes,             ///< times round all armable memory
    scan_system_ns,          ///< CPU time of arming
    fault_system_ns,         ///< CPU time in the fault handler
    move_system_ns,          ///< CPU time of asking for and moving pages
    move_pages_examined,     ///< the ledger of the mover (MoveLedger)
    move_pages_local_already,
    move_pages_failed,
    move_pages_not_processed,
    move_bytes,
    moves_dropped,     ///< queue was full
    moves_not_worth,   ///< would not have paid back within the horizon
    arming_failed,     ///< mprotect refused (ENOMEM: too many mappings): scanning backs off
    faults_passed_on,  ///< SIGSEGVs that were the program's own
};
inline constexpr std::size_t scan_counter_count = static_cast<std::size_t>(ScanCounter::faults_passed_on) + 1;

/// Names as they stand in records and in trials.csv, and units ("pages", "faults", "ns", "scans", ...).
struct ScanCounterName {
    std::string_view name;
    std::string_view unit;
};
const std::array<ScanCounterName, scan_counter_count>& scan_counter_names();

/// Plain numbers, and what follows from them.
struct ScanTotals {
    std::array<std::uint64_t, scan_counter_count> values{};

    [[nodiscard]] std::uint64_t operator[](ScanCounter counter) const {
        return values[static_cast<std::size_t>(counter)];
    }
    std::uint64_t& operator[](ScanCounter counter) { return values[static_cast<std::size_t>(counter)]; }

    /// numa_hint_faults_local of numa_hint_faults, truncated as mmtests does; 0 without faults.
    [[nodiscard]] std::uint64_t local_percent() const;
    /// scans_overlapping by scans; 0 without scans.
    [[nodiscard]] double scan_overlap() const;
    /// All the CPU time that scanning took.
    [[nodiscard]] std::uint64_t system_ns() const;
};

/// The same being counted, in memory shared by the processes of a session. All zero is right to begin with; safe in a
/// signal handler.
class ScanCounters {
public:
    void add(ScanCounter counter, std::uint64_t amount = 1) noexcept {
        values_[static_cast<std::size_t>(counter)].fetch_add(amount, std::memory_order_relaxed);
    }
    [[nodiscard]] ScanTotals read() const noexcept;

private:
    std::array<std::atomic<std::uint64_t>, scan_counter_count> values_{};
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
};

}  // namespace pinwise
