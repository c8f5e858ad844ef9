#include "runner/import/results_format.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "runner/import/foreign_rows.hpp"

namespace pinwise {
namespace {

/// The lines that tell formats apart stand near the beginning, or say so at the end of a run.
bool contains(std::string_view text, std::string_view what) {
    return text.find(what) != std::string_view::npos;
}

bool is_trials_csv(std::string_view first_line) {
    return contains(first_line, "schema") && contains(first_line, "metric") && contains(first_line, ",");
}

bool is_tsv(std::string_view text) {
    Lines lines(text);
    while (const auto line = lines.next()) {
        if (trimmed(*line).empty() || line->starts_with('#')) continue;
        return contains(*line, "\t") && !line->starts_with('\t');
    }
    return false;
}

}  // namespace

std::string_view to_string(ResultsFormat format) {
    constexpr std::array<std::string_view, 7> names{
        "trials.csv",           "STREAM output", "NPB output", "likwid-bench output", "Google Benchmark JSON",
        "Google Benchmark CSV", "mmtests TSV"};
    return names.at(static_cast<std::size_t>(format));
}

std::optional<ResultsFormat> recognise(std::string_view text) {
    const std::string_view first_line = text.substr(0, text.find('\n'));
    if (is_trials_csv(first_line)) return ResultsFormat::trials_csv;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] == '{' && contains(text, "\"benchmarks\""))
        return ResultsFormat::google_benchmark_json;
    if (contains(text, "LIKWID MICRO BENCHMARK")) return ResultsFormat::likwid_bench_output;
    if (contains(text, "name,iterations,real_time,cpu_time")) return ResultsFormat::google_benchmark_csv;
    if (contains(text, " Benchmark Completed")) return ResultsFormat::npb_output;
    if (contains(text, "Copy:") && contains(text, "Triad:")) return ResultsFormat::stream_output;
    if (is_tsv(text)) return ResultsFormat::mmtests_tsv;
    return std::nullopt;
}

Result<void> read_results(ResultsFormat format, std::string_view text, const std::string& file,
                          std::optional<Better> better, const TrialRowConsumer& consume) {
    switch (format) {
        case ResultsFormat::trials_csv: {
            const auto torn_line = for_each_trial_row(text, file, consume);
            return torn_line ? Result<void>{} : tl::unexpected<Error>(torn_line.error());
        }
        case ResultsFormat::stream_output:
            return read_stream_output(text, file, consume);
        case ResultsFormat::npb_output:
            return read_npb_output(text, file, consume);
        case ResultsFormat::likwid_bench_output:
            return read_likwid_bench_output(text, file, consume);
        case ResultsFormat::google_benchmark_json:
            return read_google_benchmark_json(text, file, consume);
        case ResultsFormat::google_benchmark_csv:
            return read_google_benchmark_csv(text, file, consume);
        case ResultsFormat::mmtests_tsv:
            return read_mmtests_tsv(text, file, better, consume);
    }
    return {};
}

}  // namespace pinwise
