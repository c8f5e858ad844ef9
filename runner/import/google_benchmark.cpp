/// Google Benchmark's JSON and CSV. Each repetition is a trial, each benchmark up to four metrics of it.

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runner/import/foreign_rows.hpp"
#include "runner/record/csv_reader.hpp"

namespace pinwise {
namespace {

using Json = nlohmann::json;

/// Trials by repetition, in order; a benchmark that reported an error fails its repetition for itself only.
class Repetitions {
public:
    /// The trial of the next repetition of a benchmark.
    ForeignTrial& next_of(const std::string& benchmark) {
        const auto repetition = static_cast<std::size_t>(count_[benchmark]++);
        if (trials_.size() <= repetition) trials_.emplace_back();
        trials_[repetition].workload = "google-benchmark";
        return trials_[repetition];
    }

    [[nodiscard]] Result<void> consume(const std::string& file, const TrialRowConsumer& consume) const {
        if (trials_.empty())
            return usage_error(fmt::format(
                "{}: no repetition in it, only aggregates; run without --benchmark_report_aggregates_only", file));
        int number = 0;
        for (const ForeignTrial& trial : trials_)
            if (auto taken = consume_trial(trial, ++number, 0, consume); !taken) return taken;
        return {};
    }

private:
    std::vector<ForeignTrial> trials_;
    std::map<std::string, int> count_;
};

void add_rates(ForeignTrial& trial, const std::string& name, std::optional<double> bytes, std::optional<double> items) {
    if (bytes) trial.values.push_back({name + " bytes", *bytes, "B/s", Better::higher});
    if (items) trial.values.push_back({name + " items", *items, "1/s", Better::higher});
}

std::optional<double> number_in(const Json& entry, const char* key) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::string text_in(const Json& entry, const char* key, const std::string& fallback) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : fallback;
}

bool is_aggregate(const std::string& name, const std::map<std::string, int>& names) {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"_mean", "_median", "_stddev", "_cv"}, [&](std::string_view ending) {
            return name.ends_with(ending) && names.contains(name.substr(0, name.size() - ending.size()));
        });
}

}  // namespace

Result<void> read_google_benchmark_json(std::string_view text, const std::string& file,
                                        const TrialRowConsumer& consume) {
    const Json document = Json::parse(text, nullptr, false);
    const auto list = document.is_object() ? document.find("benchmarks") : document.end();
    if (document.is_discarded() || !document.is_object() || list == document.end() || !list->is_array())
        return usage_error(fmt::format("{}: no JSON document of Google Benchmark (torn?)", file));
    Repetitions repetitions;
    for (const Json& entry : *list) {
        if (!entry.is_object()) return usage_error(fmt::format("{}: a benchmark that is no object", file));
        const bool failed = entry.contains("error_occurred") && entry["error_occurred"].is_boolean() &&
                            entry["error_occurred"].get<bool>();
        if (text_in(entry, "run_type", "iteration") != "iteration" || failed) continue;
        const std::string name = text_in(entry, "run_name", text_in(entry, "name", ""));
        const auto real = number_in(entry, "real_time");
        const auto cpu = number_in(entry, "cpu_time");
        if (name.empty() || !real || !cpu)
            return usage_error(fmt::format("{}: benchmark \"{}\" has no name, real_time or cpu_time", file, name));
        const std::string unit = text_in(entry, "time_unit", "ns");
        ForeignTrial& trial = repetitions.next_of(name);
        trial.values.push_back({name, *real, unit, Better::lower});
        trial.values.push_back({name + " cpu", *cpu, unit, Better::lower});
        add_rates(trial, name, number_in(entry, "bytes_per_second"), number_in(entry, "items_per_second"));
    }
    return repetitions.consume(file, consume);
}

Result<void> read_google_benchmark_csv(std::string_view text, const std::string& file,
                                       const TrialRowConsumer& consume) {
    // What the program says before the table goes to the same place when both streams are redirected.
    const std::size_t header = text.find("name,iterations,");
    const auto document = parse_csv(header == std::string_view::npos ? text : text.substr(header), file);
    if (!document) return tl::unexpected<Error>(document.error());
    const auto cell = [&](const CsvRecord& record, std::string_view name) -> std::string {
        const auto column = document->column(name);
        return column ? record.cells[*column] : "";
    };
    std::map<std::string, int> names;
    for (const CsvRecord& record : document->records)
        ++names[cell(record, "name")];
    Repetitions repetitions;
    for (const CsvRecord& record : document->records) {
        const std::string name = cell(record, "name");
        if (is_aggregate(name, names) || cell(record, "error_occurred") == "true") continue;
        const auto real = finite_number(cell(record, "real_time"));
        const auto cpu = finite_number(cell(record, "cpu_time"));
        if (name.empty() || !real || !cpu)
            return usage_error(fmt::format("{}: benchmark \"{}\" has no name, real_time or cpu_time", file, name));
        const std::string unit = cell(record, "time_unit");
        ForeignTrial& trial = repetitions.next_of(name);
        trial.values.push_back({name, *real, unit, Better::lower});
        trial.values.push_back({name + " cpu", *cpu, unit, Better::lower});
        add_rates(trial, name, finite_number(cell(record, "bytes_per_second")),
                  finite_number(cell(record, "items_per_second")));
    }
    return repetitions.consume(file, consume);
}

}  // namespace pinwise
