#include "placer/scan/scan_record.hpp"

#include <cstring>

#include <fmt/format.h>

namespace pinwise {

namespace {

constexpr double ns_per_s = 1e9;

std::string failures(const ScanRecord& record) {
    std::string text;
    for (std::size_t error = 0; error < record.move_failures.size(); ++error) {
        if (record.move_failures[error] == 0) continue;
        const char* name = strerrorname_np(static_cast<int>(error));
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name != nullptr ? name : "unknown",
                            record.move_failures[error]);
    }
    return text;
}

}  // namespace

ScanRecord read_scan_record(const SharedScan& shared) {
    ScanRecord record{.mode = shared.settings.mode,
                      .state = shared.state.load(std::memory_order_relaxed),
                      .totals = shared.counters.read()};
    for (std::size_t error = 0; error < record.move_failures.size(); ++error)
        record.move_failures[error] = shared.move_failures[error].load(std::memory_order_relaxed);
    return record;
}

std::string format_scan_record(const ScanRecord& record) {
    const ScanTotals& totals = record.totals;
    using enum ScanCounter;
    std::string text = fmt::format(
        "scan {}: {}; {} scans ({} overlapping), {} pages armed, {} hint faults ({} % local), {:.3f} s system time\n",
        to_string(record.mode), to_string(record.state), totals[scans], totals[scans_overlapping],
        totals[numa_pte_updates], totals[numa_hint_faults], totals.local_percent(),
        static_cast<double>(totals.system_ns()) / ns_per_s);
    if (totals[move_pages_examined] > 0 || totals[moves_not_worth] > 0 || totals[moves_dropped] > 0) {
        const std::string failed = failures(record);
        text += fmt::format(
            "moves: {} pages examined, {} were local already, {} moved, {} failed{}, {} not processed; {} "
            "granules were not worth a move, {} found the queue full\n",
            totals[move_pages_examined], totals[move_pages_local_already], totals[numa_pages_migrated],
            totals[move_pages_failed], failed.empty() ? "" : " (" + failed + ")", totals[move_pages_not_processed],
            totals[moves_not_worth], totals[moves_dropped]);
    }
    if (totals[arming_failed] > 0 || totals[faults_passed_on] > 0) {
        text += fmt::format("arming was refused {} times, {} SIGSEGVs were the program's own\n", totals[arming_failed],
                            totals[faults_passed_on]);
    }
    return text;
}

}  // namespace pinwise
