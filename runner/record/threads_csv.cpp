#include "runner/record/threads_csv.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "runner/record/csv_writer.hpp"
#include "runner/record/trials_csv.hpp"

namespace pinwise {
namespace {

constexpr std::array<std::string_view, 21> thread_columns{
    "schema",     "trial",       "repetition",       "thread",     "pid",           "tid",
    "name",       "asked_cpu",   "got_cpu",          "got_count",  "first_cpu",     "first_cpu_means",
    "first_node", "first_llc",   "last_cpu",         "migrations", "affinity_kept", "reason",
    "user_s",     "node_shares", "node_shares_means"};

/// Writes cells and collects why some of them are empty.
class ThreadRowWriter {
public:
    ThreadRowWriter(CsvWriter& csv, std::string& reason) : csv_(csv), reason_(reason) {}

    void number(std::int64_t value) { csv_.number(value); }
    void number_or(std::int64_t value, std::string_view why_absent) {
        if (value >= 0) {
            csv_.number(value);
        } else {
            absent(why_absent);
        }
    }
    void absent(std::string_view why) {
        csv_.empty();
        reason_ += fmt::format("{}{}", reason_.empty() ? "" : "; ", why);
    }

private:
    CsvWriter& csv_;
    std::string& reason_;
};

/// "0:93.2 3:6.8": percent of the thread's time by node.
std::string node_shares(const ThreadTimes& times) {
    double total_s = 0;
    for (const auto& [node, seconds] : times.node_s)
        total_s += seconds;
    std::string text;
    for (const auto& [node, seconds] : times.node_s)
        if (seconds > 0) text += fmt::format("{}{}:{:.1f}", text.empty() ? "" : " ", node, 100 * seconds / total_s);
    return text;
}

void write_times(CsvWriter& csv, std::span<const ThreadTimes> times, int tid) {
    const auto own = std::ranges::find(times, tid, &ThreadTimes::tid);
    if (own == times.end()) {
        for (int cell = 0; cell < 3; ++cell)
            csv.empty();
        return;
    }
    csv.number(own->user_s);
    csv.text(node_shares(*own));
    csv.text(own->means);
}

void write_thread(CsvWriter& csv, const Machine& machine, const TrialSpec& spec, const ThreadRecord& thread,
                  std::span<const ThreadTimes> times) {
    std::string reason;
    ThreadRowWriter row(csv, reason);
    for (const std::int64_t number :
         {results_schema_version, spec.trial, spec.repetition, thread.index, thread.pid, thread.tid})
        row.number(number);
    csv.text(thread.name);
    row.number_or(thread.asked_cpu, "no CPU was asked for");
    row.number_or(thread.got_count > 0 ? thread.got_cpu : -1, "affinity not read back");
    if (thread.got_count > 0) {
        row.number(thread.got_count);
    } else {
        csv.empty();
    }
    const bool known = thread.first_cpu >= 0 && thread.first_cpu_means != FirstCpuMeans::unknown;
    row.number_or(known ? thread.first_cpu : -1, "first CPU not known");
    csv.text(known ? to_string(thread.first_cpu_means) : "");
    const Pu* const pu = known ? machine.pu(thread.first_cpu) : nullptr;
    row.number_or(pu != nullptr ? pu->node.value_or(-1) : -1, "first node not known");
    if (pu != nullptr) {
        row.number(pu->llc);
    } else {
        csv.empty();
    }
    row.number_or(thread.last_cpu, "last CPU not known");
    row.number_or(thread.migrations, "migrations not known");
    csv.text(thread.got_count == 0 ? "" : thread.affinity_kept ? "yes" : "no");
    csv.text(reason);
    write_times(csv, times, thread.tid);
    csv.end_record();
}

}  // namespace

std::string threads_header() {
    CsvWriter csv;
    for (const std::string_view name : thread_columns)
        csv.text(name);
    csv.end_record();
    return csv.str();
}

std::string format_thread_rows(const Machine& machine, const TrialSpec& spec, const TrialResult& result) {
    CsvWriter csv;
    for (const ThreadRecord& thread : result.threads)
        write_thread(csv, machine, spec, thread, result.thread_times);
    return csv.str();
}

}  // namespace pinwise
