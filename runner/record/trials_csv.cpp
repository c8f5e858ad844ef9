#include "runner/record/trials_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "placer/quoted.hpp"
#include "placer/topology/cpu_list.hpp"
#include "runner/record/csv_reader.hpp"
#include "runner/record/csv_scanner.hpp"
#include "runner/record/csv_writer.hpp"
#include "runner/record/moves_csv.hpp"
#include "runner/trial/labels.hpp"

namespace pinwise {
namespace {

void write_cell(CsvWriter& csv, const std::string& value) {
    csv.text(value);
}
void write_cell(CsvWriter& csv, int value) {
    csv.number(static_cast<std::int64_t>(value));
}
void write_cell(CsvWriter& csv, std::int64_t value) {
    csv.number(value);
}
void write_cell(CsvWriter& csv, double value) {
    csv.number(value);
}
void write_cell(CsvWriter& csv, Better value) {
    csv.text(to_string(value));
}
template <class T>
void write_cell(CsvWriter& csv, const std::optional<T>& value) {
    if (value) {
        write_cell(csv, *value);
    } else {
        csv.empty();
    }
}

/// Whether a terminal may take some of it for more than text.
bool is_not_plain(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return c < ' ' || c == '\x7f'; });  // bytes of UTF-8 are negative
}

/// The table may come from anybody, and its texts go to terminals.
bool read_cell(std::string_view cell, std::string& value) {
    value = csv_text(cell);
    if (is_not_plain(value)) value = on_one_line(value);
    return true;
}
template <class Number>
requires std::is_arithmetic_v<Number>
bool read_cell(std::string_view cell, Number& value) {
    const char* const end = cell.data() + cell.size();
    const auto [stop, status] = std::from_chars(cell.data(), end, value);
    if constexpr (std::is_floating_point_v<Number>) {
        if (!std::isfinite(value)) return false;
    }
    return status == std::errc{} && stop == end;
}
bool read_cell(std::string_view cell, Better& value) {
    value = cell == "lower" ? Better::lower : Better::higher;
    return cell == "lower" || cell == "higher";
}
template <class T>
bool read_cell(std::string_view cell, std::optional<T>& value) {
    value.reset();
    return cell.empty() || read_cell(cell, value.emplace());
}

/// A column: its name, and how a row's field gets into a cell and out of it.
struct Column {
    std::string_view name;
    void (*write)(CsvWriter&, const TrialRow&);
    bool (*read)(std::string_view, TrialRow&);
    bool may_be_missing = false;  ///< tables of before it was introduced stay readable
};

template <auto Member>
constexpr Column column(std::string_view name) {
    return {name, [](CsvWriter& csv, const TrialRow& row) { write_cell(csv, row.*Member); },
            [](std::string_view cell, TrialRow& row) { return read_cell(cell, row.*Member); }};
}

template <auto Member>
constexpr Column newer_column(std::string_view name) {
    Column made = column<Member>(name);
    made.may_be_missing = true;
    return made;
}

constexpr std::array columns{
    column<&TrialRow::schema>("schema"),
    column<&TrialRow::trial>("trial"),
    column<&TrialRow::repetition>("repetition"),
    column<&TrialRow::position>("position"),
    column<&TrialRow::workload>("workload"),
    column<&TrialRow::parameters>("parameters"),
    column<&TrialRow::threads>("threads"),
    column<&TrialRow::cpus>("cpus"),
    column<&TrialRow::mask>("mask"),
    column<&TrialRow::policy>("policy"),
    column<&TrialRow::bind>("bind"),
    newer_column<&TrialRow::memory>("memory"),
    newer_column<&TrialRow::migration>("migration"),
    newer_column<&TrialRow::balance>("balance"),
    newer_column<&TrialRow::arm>("arm"),
    newer_column<&TrialRow::variant>("variant"),
    column<&TrialRow::metric>("metric"),
    column<&TrialRow::value>("value"),
    column<&TrialRow::unit>("unit"),
    column<&TrialRow::better>("better"),
    column<&TrialRow::status>("status"),
    column<&TrialRow::reason>("reason"),
    column<&TrialRow::start_counts>("start_counts"),
    column<&TrialRow::most_threads_on_one_cpu>("most_threads_on_one_cpu"),
    column<&TrialRow::llcs_used>("llcs_used"),
    column<&TrialRow::first_cpu_means>("first_cpu_means"),
    column<&TrialRow::migrations>("migrations"),
    column<&TrialRow::affinity_kept>("affinity_kept"),
    newer_column<&TrialRow::mem_policy>("mem_policy"),
    newer_column<&TrialRow::labels>("labels"),
    newer_column<&TrialRow::neighbour_before_ns>("neighbour_before_ns"),
    newer_column<&TrialRow::neighbour_after_ns>("neighbour_after_ns"),
    newer_column<&TrialRow::piled_up_s>("piled_up_s"),
};

std::string join_reasons(std::string_view first, std::string_view second) {
    return fmt::format("{}{}{}", first, first.empty() || second.empty() ? "" : "; ", second);
}

/// Everything but the metric.
TrialRow common_row(const TrialSpec& spec, const TrialResult& result) {
    TrialRow row;
    row.trial = spec.trial;
    row.repetition = spec.repetition;
    row.position = spec.position;
    row.workload = spec.workload;
    row.parameters = format_parameters(spec.parameters);
    row.threads = spec.threads;
    row.cpus = spec.strategy.cpus;
    row.mask = format_cpu_list(spec.strategy.mask);
    row.policy = spec.strategy.policy;
    row.bind = spec.strategy.bind;
    row.memory = spec.strategy.memory;
    row.migration = spec.strategy.migration;
    row.balance = spec.strategy.balance;
    row.arm = spec.strategy.arm;
    row.mem_policy = result.mem_policy;
    row.status = result.status == TrialStatus::ok ? "ok" : "failed";
    row.reason = join_reasons(result.reason, result.start.missing);
    if (result.balance) row.reason = join_reasons(row.reason, describe(result.balance->summary));
    for (const std::string& note : result.notes)
        row.reason = join_reasons(row.reason, note);
    row.start_counts = result.start.start_counts;
    row.most_threads_on_one_cpu = result.start.most_threads_on_one_cpu;
    row.llcs_used = result.start.llcs_used;
    row.first_cpu_means = result.start.llcs_used ? std::string(to_string(result.start.means)) : "";
    row.migrations = result.start.migrations;
    if (result.start.affinity_kept) row.affinity_kept = *result.start.affinity_kept ? "yes" : "no";
    for (const Label label : result.labels)
        row.labels += fmt::format("{}{}", row.labels.empty() ? "" : " ", to_string(label));
    row.neighbour_before_ns = result.neighbour_before_ns;
    row.neighbour_after_ns = result.neighbour_after_ns;
    row.piled_up_s = result.start.piled_up_s;
    return row;
}

/// Position of each of our columns in a record; nothing for one that is missing and may be.
Result<std::vector<std::optional<std::size_t>>> find_columns(const std::vector<std::string>& header,
                                                             const std::string& file) {
    std::vector<std::optional<std::size_t>> positions;
    for (const Column& each : columns) {
        const auto found = std::ranges::find(header, each.name);
        if (found == header.end() && !each.may_be_missing)
            return usage_error(fmt::format("{}:1: no column \"{}\"; is it a trials.csv of pinwise?", file, each.name));
        positions.push_back(found == header.end() ? std::nullopt
                                                  : std::optional(static_cast<std::size_t>(found - header.begin())));
    }
    return positions;
}

/// Turns records into rows. A cell with the bytes of the record before it, as most of them have, is not read again.
class RowReader {
public:
    RowReader(std::vector<std::optional<std::size_t>> positions, std::string file)
        : positions_(std::move(positions)), file_(std::move(file)) {}

    Result<void> read(const CsvCells& record) {
        const bool first = before_.empty();
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (!positions_[i]) continue;
            const std::string_view cell = record.cells[*positions_[i]];
            if (!first && cell == before_[*positions_[i]]) continue;
            if (!columns[i].read(cell, row_))
                return usage_error(fmt::format("{}:{}: {} is \"{}\"", file_, record.line, columns[i].name, cell));
        }
        before_ = record.cells;
        if (row_.schema != results_schema_version)
            return usage_error(fmt::format("{}:{}: schema {}; this program reads schema {}", file_, record.line,
                                           row_.schema, results_schema_version));
        return {};
    }

    [[nodiscard]] const TrialRow& row() const { return row_; }

private:
    std::vector<std::optional<std::size_t>> positions_;
    std::string file_;
    std::vector<std::string_view> before_;
    TrialRow row_;
};

}  // namespace

std::vector<TrialRow> trial_rows(const TrialSpec& spec, const TrialResult& result) {
    const TrialRow common = common_row(spec, result);
    std::vector<TrialRow> rows;
    const auto add = [&](std::string_view name, std::optional<double> value, std::string_view unit, Better better) {
        TrialRow row = common;
        row.metric = name;
        row.value = value;
        row.unit = unit;
        row.better = better;
        if (!value && row.reason.empty()) row.reason = "not measured";
        rows.push_back(std::move(row));
    };
    for (const Metric& metric : result.metrics)
        add(metric.name, metric.value, metric.unit, metric.better);
    for (const Metric& metric : result.migration)
        add(metric.name, metric.value, metric.unit, metric.better);
    add("wall", result.wall_s, "s", Better::lower);
    add("user", result.user_s, "s", Better::lower);
    add("sys", result.sys_s, "s", Better::lower);
    return rows;
}

std::string format_parameters(const WorkloadParameters& parameters) {
    std::string text;
    for (const auto& [key, value] : parameters)
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
    return text;
}

std::string trials_header() {
    CsvWriter csv;
    for (const Column& each : columns)
        csv.text(each.name);
    csv.end_record();
    return csv.str();
}

std::string format_trial_rows(const std::vector<TrialRow>& rows) {
    CsvWriter csv;
    for (const TrialRow& row : rows) {
        for (const Column& each : columns)
            each.write(csv, row);
        csv.end_record();
    }
    return csv.str();
}

Result<std::optional<int>> for_each_trial_row(std::string_view text, const std::string& file,
                                              const TrialRowConsumer& consume) {
    CsvScanner scanner(text, file);
    const auto header = read_csv_header(scanner, file);
    if (!header) return tl::unexpected<Error>(header.error());
    auto positions = find_columns(*header, file);
    if (!positions) return tl::unexpected<Error>(positions.error());
    RowReader reader(*std::move(positions), file);
    CsvCells record;
    for (;;) {
        const auto more = scanner.next(record);
        if (!more) return tl::unexpected<Error>(more.error());
        if (!*more) return scanner.torn_line();
        if (const auto good = check_cell_count(record, header->size(), file); !good)
            return tl::unexpected<Error>(good.error());
        if (const auto good = reader.read(record); !good) return tl::unexpected<Error>(good.error());
        if (const auto taken = consume(reader.row(), record.line); !taken) return tl::unexpected<Error>(taken.error());
    }
}

Result<TrialsTable> parse_trials_csv(std::string_view text, const std::string& file) {
    TrialsTable table;
    const auto torn_line = for_each_trial_row(text, file, [&table](const TrialRow& row, int) -> Result<void> {
        table.rows.push_back(row);
        return {};
    });
    if (!torn_line) return tl::unexpected<Error>(torn_line.error());
    table.torn_line = *torn_line;
    return table;
}

}  // namespace pinwise
