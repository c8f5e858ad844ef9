#include "runner/cli/session_record.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <unistd.h>

#include "runner/record/csv_writer.hpp"

namespace pinwise::cli {

namespace {

void optional_number(CsvWriter& csv, std::int64_t value, bool known) {
    if (known)
        csv.number(value);
    else
        csv.empty();
}

void append(CsvWriter& csv, const ThreadRecord& thread, std::string_view mem_policy, const ScanRecord& scan) {
    csv.number(std::int64_t{thread.index}).number(std::int64_t{thread.pid});
    optional_number(csv, thread.tid, thread.tid > 0);
    csv.text(thread.name);
    optional_number(csv, thread.asked_cpu, thread.asked_cpu >= 0);
    optional_number(csv, thread.got_cpu, thread.got_cpu >= 0);
    optional_number(csv, thread.got_count, thread.got_count > 0);
    optional_number(csv, thread.first_cpu, thread.first_cpu >= 0);
    csv.text(to_string(thread.first_cpu_means));
    optional_number(csv, thread.last_cpu, thread.last_cpu >= 0);
    optional_number(csv, thread.migrations, thread.migrations >= 0);
    csv.text(thread.affinity_kept ? "yes" : "no");
    csv.text(thread.alive ? "yes" : "no");
    csv.number(thread.born_ns);
    optional_number(csv, thread.ended_ns, thread.ended_ns > 0);
    csv.text(program_affinity(thread));
    csv.text(mem_policy);
    const bool scanned = scan.mode != ScanMode::off;
    for (const std::int64_t number :
         {thread.scans, thread.hint_faults, thread.hint_faults_local, thread.scan_system_ns})
        optional_number(csv, number, scanned);
    csv.text(scanned ? to_string(scan.state) : "");
    csv.end_record();
}

}  // namespace

std::string program_affinity(const ThreadRecord& thread) {
    if (thread.overridden > 0) return fmt::format("overridden({})", thread.overridden);
    return thread.own_affinity > 0 ? "respected" : "";
}

std::string format_threads(std::span<const ThreadRecord> threads, std::string_view mem_policy, const ScanRecord& scan) {
    CsvWriter csv;
    for (const char* column : {"thread",          "pid",       "tid",         "name",
                               "asked_cpu",       "got_cpu",   "got_cpus",    "first_cpu",
                               "first_cpu_means", "last_cpu",  "migrations",  "affinity_kept",
                               "alive",           "born_ns",   "ended_ns",    "program_affinity",
                               "mem_policy",      "scans",     "hint_faults", "hint_faults_local",
                               "scan_system_ns",  "scan_state"}) {
        csv.text(column);
    }
    csv.end_record();
    for (const ThreadRecord& thread : threads)
        append(csv, thread, mem_policy, scan);
    return csv.str();
}

int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(descriptor, text.data(), text.size());
        if (count < 0 && errno != EINTR) return errno;
        if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
    }
    return 0;
}

}  // namespace pinwise::cli
