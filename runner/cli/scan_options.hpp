#pragma once
/// `--scan` and what belongs to it.

#include <string>

#include <CLI/CLI.hpp>

#include "placer/result.hpp"
#include "placer/scan/scan_record.hpp"
#include "placer/scan/scan_settings.hpp"
#include "runner/trial/page_log.hpp"

namespace pinwise::cli {

struct ScanOptions {
    std::string mode = "off";
    ScanSettings settings;  ///< all but the mode
    std::uint64_t window_mib = settings.window_bytes >> 20U;
    bool faithful = false;
    bool anyway = false;
    std::string log;  ///< empty: none
};

/// Registers them; `options` must outlive the parsing.
void add_scan_options(CLI::App& command, ScanOptions& options);

/// Errors (usage): a mode that does not exist, numbers out of range.
Result<ScanSettings> scan_settings(const ScanOptions& options);

/// What the hazards are: for the end of --help.
extern const char* const scan_help;

/// Lines for standard error after the program's end, each with its newline: everything (`all`), or only what the user
/// must know because it is not as asked.
std::string scan_report(const ScanRecord& record, bool all);

/// The JSON document of --scan-log: every counter by its name, failed moves by errno, and where the program's memory
/// was.
std::string scan_log(const ScanRecord& record, const PageLog& pages);

}  // namespace pinwise::cli
