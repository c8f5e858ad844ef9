#include "runner/cli/scan_options.hpp"

#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pinwise::cli {

const char* const scan_help =
    "--scan makes large memory of the program inaccessible for moments, to see who uses it, and moves it to the node "
    "of\n"
    "its user. What the program sees of that: its buffers are opened before read, write, send, recv, fread and the "
    "like,\n"
    "but a system call that pinwise does not know, made on an array of several MiB at such a moment, fails with "
    "EFAULT:\n"
    "ioctl on such memory, io_uring and MPI or RDMA that read it from outside are not safe with --scan.";

void add_scan_options(CLI::App& command, ScanOptions& options) {
    const std::string group = "Page-migration scanning";
    command
        .add_option("--scan", options.mode,
                    "Let memory follow the threads that use it: off, unstaggered, or staggered (threads take turns). "
                    "Not for every program, see below")
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--scan-granule", options.settings.granule_bytes,
                    "How much memory one touch stands for: 64K to 2M, a power of two")
        ->transform(CLI::AsSizeValue(false))
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--scan-horizon", options.settings.horizon_s,
                    "Seconds within which a move must pay back; others are not made")
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--scan-delay", options.settings.delay_ms, "Milliseconds of CPU time before a thread's first scan")
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--scan-period-min", options.settings.period_min_ms,
                    "Shortest time between a thread's scans, in milliseconds of its CPU time")
        ->capture_default_str()
        ->group(group);
    command.add_option("--scan-period-max", options.settings.period_max_ms, "The longest")
        ->capture_default_str()
        ->group(group);
    command.add_option("--scan-size", options.window_mib, "MiB that one scan arms at most")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str()
        ->group(group);
    command
        .add_flag("--scan-faithful", options.faithful,
                  "Follow the kernel's rules with their quirks, for comparisons with it")
        ->group(group);
    command
        .add_option("--scan-log", options.log,
                    "Write what scanning did, and on which nodes the program's memory was over time, as JSON to FILE "
                    "or - (with "
                    "--scan off, too)")
        ->type_name("FILE|-")
        ->group(group);
    command
        .add_flag("--scan-anyway", options.anyway,
                  "Scan also where nothing can move (one memory node): shows what scanning costs")
        ->group(group);
}

std::string scan_log(const ScanRecord& record, const PageLog& pages) {
    nlohmann::ordered_json counters = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < scan_counter_count; ++i)
        counters[std::string(scan_counter_names()[i].name)] = record.totals.values[i];
    nlohmann::ordered_json unknown = nlohmann::ordered_json::object();
    unknown["numa_huge_pte_updates"] = "not-told-by-kernel";
    nlohmann::ordered_json failures = nlohmann::ordered_json::object();
    for (std::size_t error = 0; error < record.move_failures.size(); ++error) {
        if (record.move_failures[error] == 0) continue;
        const char* const name = strerrorname_np(static_cast<int>(error));
        failures[name != nullptr ? name : "unknown"] = record.move_failures[error];
    }
    const nlohmann::ordered_json document = {
        {"schema", 1},
        {"mode", to_string(record.mode)},
        {"state", to_string(record.state)},
        {"counters", std::move(counters)},
        {"unknown_counters", std::move(unknown)},
        {"numa_hint_local_percent", record.totals.local_percent()},
        {"scan_overlap_percent", 100 * record.totals.scan_overlap()},
        {"scanner_system_time_s", static_cast<double>(record.totals.system_ns()) * 1e-9},
        {"failed_pages_by_errno", std::move(failures)},
        {"pages", pages.document()}};
    return document.dump(2) + "\n";
}

Result<ScanSettings> scan_settings(const ScanOptions& options) {
    const auto mode = parse_scan_mode(options.mode);
    if (!mode) return tl::unexpected(mode.error());
    ScanSettings settings = options.settings;
    settings.mode = *mode;
    settings.faithful = options.faithful ? 1 : 0;
    settings.window_bytes = options.window_mib << 20U;
    if (auto checked = check_scan_settings(settings); !checked) return tl::unexpected(checked.error());
    return settings;
}

std::string scan_report(const ScanRecord& record, bool all) {
    if (record.mode == ScanMode::off) return "";
    if (all) return fmt::format("pinwise: {}", format_scan_record(record));
    if (record.state == ScanState::scanning) return "";
    return fmt::format("pinwise: --scan {}: {}: {}\n", to_string(record.mode), to_string(record.state),
                       explain(record.state));
}

}  // namespace pinwise::cli
