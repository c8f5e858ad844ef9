#include "runner/cli/trace_report.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runner/record/csv_writer.hpp"

namespace pinwise::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Place {
    int node = -1;
    int llc = -1;
};

Place place_of(const Machine& machine, int cpu) {
    const Pu* const pu = machine.pu(cpu);
    return pu == nullptr ? Place{} : Place{pu->node.value_or(-1), pu->llc};
}

std::string number_or_dash(int value) {
    return value < 0 ? "-" : std::to_string(value);
}

/// Nanoseconds as seconds, without rounding.
std::string seconds(std::int64_t time_ns) {
    return fmt::format("{}{}.{:06}", time_ns < 0 ? "-" : "", std::abs(time_ns) / 1'000'000'000,
                       std::abs(time_ns) / 1000 % 1'000'000);
}

std::string seconds_or_dash(const std::optional<std::int64_t>& time_ns) {
    return time_ns ? seconds(*time_ns) : "-";
}

/// "2 CPUs", "1 CPU"
std::string counted(int number, std::string_view thing) {
    return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string summary_line(const PlacementSummary& summary) {
    int threads = 0;
    for (const int count : summary.threads_per_node)
        threads += count;
    return fmt::format("{}  {} on {}, {}, at most {} on one CPU", format_node_counts(summary.threads_per_node),
                       counted(threads, "thread"), counted(summary.cpus_used, "CPU"), counted(summary.llcs_used, "LLC"),
                       summary.most_on_one_cpu);
}

std::string migrations_line(const PlacementHistory& history) {
    std::string text = fmt::format("{}", history.migrations + history.elided_migrations);
    if (history.elided_migrations > 0)
        text += fmt::format(" ({} shown and {} elided in the trace)", history.migrations, history.elided_migrations);
    if (history.across_llc && history.across_node)
        text +=
            fmt::format("; {}{} across LLCs, {} across nodes", history.elided_migrations > 0 ? "of those shown " : "",
                        *history.across_llc, *history.across_node);
    if (history.migrations_before_start > 0)
        text += fmt::format("; {} more before the first thread was created", history.migrations_before_start);
    return text;
}

/// When the node counts became what they stayed.
std::optional<std::int64_t> counts_final_since(const PlacementHistory& history) {
    if (history.node_counts.empty()) return std::nullopt;
    return history.node_counts.back().time_ns;
}

void append_thread(std::string& text, const TracedThread& thread, const Machine& machine) {
    const Place first = place_of(machine, thread.first_cpu);
    const Place last = place_of(machine, thread.last_cpu);
    fmt::format_to(std::back_inserter(text), "{:>8} {:<15} {:>12} {:>5} {:>5} {:>5}  {:<16} {:>10} {:>8} {:>9}\n",
                   thread.tid, thread.comm, seconds_or_dash(thread.born_ns), number_or_dash(thread.first_cpu),
                   number_or_dash(first.node), number_or_dash(first.llc), to_string(thread.source),
                   number_or_dash(static_cast<int>(thread.migrations)), number_or_dash(thread.last_cpu),
                   number_or_dash(last.node));
}

void append_node_counts(std::string& text, const PlacementHistory& history) {
    const std::vector<NodeCounts>& rows = history.node_counts;
    if (rows.empty()) return;
    fmt::format_to(std::back_inserter(text), "\n{:>12}  {}\n", "after s",
                   rows.front().cause == NodeCounts::Cause::stated ? "node counts, as remarks in the trace state them"
                                                                   : "node counts");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool last = i + 1 == rows.size();
        if (last && history.node_counts_left_out > 0)
            fmt::format_to(std::back_inserter(text), "{:>12}  {} more changes\n", "...", history.node_counts_left_out);
        fmt::format_to(std::back_inserter(text), "{:>12}  {}{}{}\n", seconds(rows[i].time_ns),
                       format_node_counts(rows[i].counts), i == 0 ? "  START" : "", last ? "  FINAL" : "");
    }
}

Json summary_json(const PlacementSummary& summary) {
    return {{"node_counts", format_node_counts(summary.threads_per_node)},
            {"threads_per_node", summary.threads_per_node},
            {"cpus_used", summary.cpus_used},
            {"llcs_used", summary.llcs_used},
            {"most_on_one_cpu", summary.most_on_one_cpu}};
}

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json number_or_null(std::int64_t value) {
    return value < 0 ? Json(nullptr) : Json(value);
}

Json thread_json(const TracedThread& thread, const Machine& machine) {
    const Place first = place_of(machine, thread.first_cpu);
    const Place last = place_of(machine, thread.last_cpu);
    return {{"tid", thread.tid},
            {"name", thread.comm},
            {"created_ns", value_or_null(thread.born_ns)},
            {"first_cpu", number_or_null(thread.first_cpu)},
            {"first_node", number_or_null(first.node)},
            {"first_llc", number_or_null(first.llc)},
            {"first_cpu_from", to_string(thread.source)},
            {"migrations", number_or_null(thread.migrations)},
            {"last_cpu", number_or_null(thread.last_cpu)},
            {"last_node", number_or_null(last.node)},
            {"last_llc", number_or_null(last.llc)}};
}

void optional_number(CsvWriter& csv, std::int64_t value) {
    value < 0 ? csv.empty() : csv.number(value);
}

}  // namespace

std::vector<std::string> describe_gaps(const TraceGaps& gaps, const PlacementHistory& history) {
    std::vector<std::string> texts;
    if (gaps.lost_events > 0 || gaps.lost_uncounted)
        texts.push_back(fmt::format("the tracer lost {}{}events: threads and migrations may be missing",
                                    gaps.lost_uncounted ? "an unknown number of " : "",
                                    gaps.lost_events > 0 ? fmt::format("{} ", gaps.lost_events) : ""));
    if (gaps.elided_migrations > 0)
        texts.push_back(fmt::format("{} migrations are elided in the trace: of which threads is not known",
                                    gaps.elided_migrations));
    if (gaps.cut_off_line > 0) texts.push_back(fmt::format("line {} is cut off and was left out", gaps.cut_off_line));
    if (gaps.out_of_order > 0)
        texts.push_back(
            fmt::format("{} events are older than the one before them (per-CPU clocks, or several traces in "
                        "one file); the order of the trace was kept",
                        gaps.out_of_order));
    if (history.contradictions > 0)
        texts.push_back(
            fmt::format("{} times a thread was on another CPU than the events had left it on: events are "
                        "missing",
                        history.contradictions));
    return texts;
}

std::string format_trace_text(const TraceReport& report, const Machine& machine) {
    const PlacementHistory& history = report.history;
    std::string text = fmt::format("trace:      {}\nmachine:    {}\n", report.source, machine.source);
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "initial:    {}\n",
                   history.initial ? summary_line(*history.initial) : "not known: no thread was created in the trace");
    fmt::format_to(out, "last:       {}\n",
                   history.last ? summary_line(*history.last) : "not known: migrations are elided in the trace");
    fmt::format_to(out, "migrations: {}\n", migrations_line(history));
    const std::string_view since = history.created > 0 ? "the first creation" : "the first event";
    if (history.last_migration_ns == 0) {
        fmt::format_to(out, "stable:     from {} on: no migration\n", since);
    } else if (history.last_migration_ns) {
        fmt::format_to(out, "stable:     {} s after {} (last migration)\n", seconds(*history.last_migration_ns), since);
    }
    if (const auto final_ns = counts_final_since(history))
        fmt::format_to(out, "            {} s after {} the node counts are those of the end\n", seconds(*final_ns),
                       since);
    fmt::format_to(out, "\n{:>8} {:<15} {:>12} {:>5} {:>5} {:>5}  {:<16} {:>10} {:>8} {:>9}\n", "tid", "name",
                   "created s", "cpu", "node", "llc", "known from", "migrations", "last cpu", "last node");
    for (const TracedThread& thread : history.threads)
        append_thread(text, thread, machine);
    append_node_counts(text, history);
    return text;
}

std::string format_trace_csv(const TraceReport& report, const Machine& machine) {
    CsvWriter csv;
    for (const char* const column : {"tid", "name", "created_ns", "first_cpu", "first_node", "first_llc",
                                     "first_cpu_from", "migrations", "last_cpu", "last_node", "last_llc"})
        csv.text(column);
    csv.end_record();
    for (const TracedThread& thread : report.history.threads) {
        csv.number(std::int64_t{thread.tid}).text(thread.comm);
        thread.born_ns ? csv.number(*thread.born_ns) : csv.empty();
        const Place first = place_of(machine, thread.first_cpu);
        const Place last = place_of(machine, thread.last_cpu);
        optional_number(csv, thread.first_cpu);
        optional_number(csv, first.node);
        optional_number(csv, first.llc);
        csv.text(to_string(thread.source));
        optional_number(csv, thread.migrations);
        optional_number(csv, thread.last_cpu);
        optional_number(csv, last.node);
        optional_number(csv, last.llc);
        csv.end_record();
    }
    return csv.str();
}

std::string format_trace_json(const TraceReport& report, const Machine& machine) {
    const PlacementHistory& history = report.history;
    Json json{{"source", report.source},
              {"machine", machine.source},
              {"gaps", report.gaps},
              {"created", history.created},
              {"initial", history.initial ? summary_json(*history.initial) : Json(nullptr)},
              {"last", history.last ? summary_json(*history.last) : Json(nullptr)},
              {"migrations", history.migrations + history.elided_migrations},
              {"migrations_elided", history.elided_migrations},
              {"migrations_across_llcs", value_or_null(history.across_llc)},
              {"migrations_across_nodes", value_or_null(history.across_node)},
              {"migrations_before_start", history.migrations_before_start},
              {"last_migration_ns", value_or_null(history.last_migration_ns)},
              {"node_counts_final_ns", value_or_null(counts_final_since(history))},
              {"threads", Json::array()},
              {"node_counts", Json::array()},
              {"node_counts_left_out", history.node_counts_left_out}};
    for (const TracedThread& thread : history.threads)
        json["threads"].push_back(thread_json(thread, machine));
    for (const NodeCounts& row : history.node_counts)
        json["node_counts"].push_back({{"time_ns", row.time_ns}, {"threads_per_node", row.counts}});
    // A thread's name may be any bytes.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pinwise::cli
