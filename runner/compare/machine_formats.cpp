#include "runner/compare/machine_formats.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runner/compare/notes.hpp"
#include "runner/record/csv_writer.hpp"

namespace pinwise {
namespace {

using Json = nlohmann::ordered_json;

/// A cell of a table, or the second arm of its baseline.
struct NamedCell {
    const Comparison* comparison;
    const StrategyColumn* column;
    const MetricRow* row;
    const Cell* cell;
    std::string role;  ///< "baseline", "control-again", "compared"
};

template <class Take>
void for_each_cell(std::span<const Comparison> comparisons, Take take) {
    for (const Comparison& comparison : comparisons) {
        for (const MetricRow& row : comparison.rows) {
            for (std::size_t i = 0; i < row.cells.size(); ++i) {
                const StrategyColumn* const column = &comparison.columns[i];
                take(NamedCell{&comparison, column, &row, &row.cells[i], i == 0 ? "baseline" : "compared"});
                if (i == 0 && row.control_again)
                    take(NamedCell{&comparison, column, &row, &*row.control_again, "control-again"});
            }
        }
    }
}

std::string why_incomplete(const NamedCell& each) {
    std::string why;
    const auto add = [&why](std::string_view what, const std::string& reason) {
        if (!reason.empty()) why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", what, reason);
    };
    add("mean", each.cell->why_no_mean);
    if (each.cell->mean) add("variation", each.cell->why_no_variation);
    if (each.role != "baseline") add("change", each.cell->why_no_change);
    if (each.role != "baseline" && each.cell->why_no_change.empty()) add("interval", each.cell->why_no_interval);
    return why;
}

void write(CsvWriter& csv, const std::optional<double>& value) {
    if (value) {
        csv.number(*value);
    } else {
        csv.empty();
    }
}

void write_names(CsvWriter& csv, const NamedCell& each) {
    const StrategyColumn& column = *each.column;
    csv.text(each.comparison->workload)
        .text(each.comparison->parameters)
        .number(static_cast<std::int64_t>(each.comparison->threads));
    for (const std::string& text : {column.file, column.variant, column.policy, column.cpus, column.bind, column.memory,
                                    column.migration, column.balance})
        csv.text(text);
    csv.text(each.role).text(each.row->metric).text(each.row->unit).text(to_string(each.row->better));
}

Json number_or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json interval_or_null(const std::optional<Interval>& interval) {
    return interval ? Json{interval->low, interval->high} : Json(nullptr);
}

Json cell_json(const NamedCell& each) {
    const Cell& cell = *each.cell;
    Json json{{"role", each.role},
              {"n", cell.values.size()},
              {"failed", cell.failed},
              {"mean", number_or_null(cell.mean)},
              {"median", number_or_null(cell.median)},
              {"min", number_or_null(cell.min)},
              {"max", number_or_null(cell.max)},
              {"coeffvar_percent", number_or_null(cell.coefficient_of_variation)},
              {"outliers", cell.outliers},
              {"change_percent", number_or_null(cell.change_percent)},
              {"change_interval_percent", interval_or_null(cell.change_interval)},
              {"p", number_or_null(cell.p_value)},
              {"verdict", to_string(cell.verdict)},
              {"interleaved", cell.interleaved},
              {"trend_p", number_or_null(cell.trend_p)},
              {"drift_percent", number_or_null(cell.drift_percent)}};
    json["two_values"] = cell.two_values ? Json{{"low", cell.two_values->low},
                                                {"high", cell.two_values->high},
                                                {"low_trials", cell.two_values->low_count},
                                                {"high_trials", cell.two_values->high_count}}
                                         : Json(nullptr);
    json["states"] = Json::array();
    for (const StateChange& change : cell.state_changes)
        json["states"].push_back({{"state", to_string(change.state)},
                                  {"baseline_trials", change.baseline_trials},
                                  {"trials", change.trials},
                                  {"change_percent", number_or_null(change.change_percent)}});
    json["why"] = why_incomplete(each);
    json["values"] = cell.values;
    return json;
}

Json column_json(const StrategyColumn& column) {
    Json json{{"name", name_of(column)},       {"file", column.file},
              {"variant", column.variant},     {"policy", column.policy},
              {"cpus", column.cpus},           {"mask", column.mask},
              {"bind", column.bind},           {"memory", column.memory},
              {"migration", column.migration}, {"balance", column.balance},
              {"trials", column.trials},       {"failed", column.failed},
              {"failures", column.failures},   {"start_counts", column.start_counts}};
    json["most_threads_on_one_cpu"] = number_or_null(column.most_threads_on_one_cpu);
    json["llcs_used"] = number_or_null(column.llcs_used);
    json["migrations"] = number_or_null(column.migrations);
    json["piled_up_s"] = number_or_null(column.piled_up_s);
    json["labels"] = Json::object();
    for (const auto& [label, count] : column.labels)
        json["labels"][label] = count;
    return json;
}

Json row_json(const Comparison& comparison, const MetricRow& row) {
    Json json{{"metric", row.metric},
              {"unit", row.unit},
              {"better", to_string(row.better)},
              {"mean_kind", row.better == Better::higher ? "harmonic" : "arithmetic"},
              {"noise_floor_percent", number_or_null(noise_floor_percent(row))},
              {"cells", Json::array()}};
    for (std::size_t i = 0; i < row.cells.size(); ++i)
        json["cells"].push_back(
            cell_json({&comparison, &comparison.columns[i], &row, &row.cells[i], i == 0 ? "baseline" : "compared"}));
    json["control_again"] =
        row.control_again ? cell_json({&comparison, &comparison.columns[0], &row, &*row.control_again, "control-again"})
                          : Json(nullptr);
    return json;
}

/// A text that is one field of a line.
std::string field(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return text;
}

}  // namespace

std::string format_csv(std::span<const Comparison> comparisons) {
    CsvWriter csv;
    for (const std::string_view name : {"workload",
                                        "parameters",
                                        "threads",
                                        "file",
                                        "variant",
                                        "policy",
                                        "cpus",
                                        "bind",
                                        "memory",
                                        "migration",
                                        "balance",
                                        "role",
                                        "metric",
                                        "unit",
                                        "better",
                                        "n",
                                        "failed",
                                        "mean",
                                        "median",
                                        "min",
                                        "max",
                                        "coeffvar_percent",
                                        "outliers",
                                        "change_percent",
                                        "change_low_percent",
                                        "change_high_percent",
                                        "p",
                                        "verdict",
                                        "reason"})
        csv.text(name);
    csv.end_record();
    for_each_cell(comparisons, [&csv](const NamedCell& each) {
        const Cell& cell = *each.cell;
        write_names(csv, each);
        csv.number(static_cast<std::int64_t>(cell.values.size())).number(static_cast<std::int64_t>(cell.failed));
        for (const auto& value : {cell.mean, cell.median, cell.min, cell.max, cell.coefficient_of_variation})
            write(csv, value);
        csv.number(static_cast<std::int64_t>(cell.outliers));
        write(csv, cell.change_percent);
        write(csv, cell.change_interval ? std::optional(cell.change_interval->low) : std::nullopt);
        write(csv, cell.change_interval ? std::optional(cell.change_interval->high) : std::nullopt);
        write(csv, cell.p_value);
        csv.text(to_string(cell.verdict)).text(why_incomplete(each));
        csv.end_record();
    });
    return csv.str();
}

std::string format_json(std::span<const Comparison> comparisons, const TableOptions& options) {
    Json document{{"schema", 1}, {"machine_kind", options.machine_kind}, {"comparisons", Json::array()}};
    for (const Comparison& comparison : comparisons) {
        Json json{{"workload", comparison.workload},
                  {"parameters", comparison.parameters},
                  {"threads", comparison.threads},
                  {"strategy", comparison.strategy},
                  {"columns", Json::array()},
                  {"rows", Json::array()},
                  {"notes", notes_of(comparison, options)}};
        for (const StrategyColumn& column : comparison.columns)
            json["columns"].push_back(column_json(column));
        for (const MetricRow& row : comparison.rows)
            json["rows"].push_back(row_json(comparison, row));
        document["comparisons"].push_back(std::move(json));
    }
    // A name may hold bytes that are no UTF-8; they must not end the program.
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string format_tsv(std::span<const Comparison> comparisons) {
    std::string text = "name\toperation\tsample\tvalue\tunit\tbetter\n";
    const bool several = comparisons.size() > 1;
    for_each_cell(comparisons, [&](const NamedCell& each) {
        const std::string operation =
            several ? fmt::format("{} {}", each.row->metric, title_of(*each.comparison)) : each.row->metric;
        for (std::size_t i = 0; i < each.cell->values.size(); ++i)
            text += fmt::format("{}{}\t{}\t{}\t{}\t{}\t{}\n", field(name_of(*each.column)),
                                each.role == "control-again" ? " (again)" : "", field(operation), i + 1,
                                each.cell->values[i], field(each.row->unit), to_string(each.row->better));
    });
    return text;
}

}  // namespace pinwise
