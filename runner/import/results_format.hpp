#pragma once
/// What kind of file a result is: our own tables and those of the programs users come from. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "placer/result.hpp"
#include "runner/record/trials_csv.hpp"

namespace pinwise {

enum class ResultsFormat : std::uint8_t {
    trials_csv,             ///< ours, results/README.md
    stream_output,          ///< what STREAM prints
    npb_output,             ///< what a program of the NAS Parallel Benchmarks prints
    likwid_bench_output,    ///< what likwid-bench prints
    google_benchmark_json,  ///< --benchmark_format=json
    google_benchmark_csv,   ///< --benchmark_format=csv
    mmtests_tsv,            ///< operation, sample and value with tabs in between, see read_mmtests_tsv()
};

std::string_view to_string(ResultsFormat format);

/// By the content; absent when it is none of them.
std::optional<ResultsFormat> recognise(std::string_view text);

/// Reads a file of that format as rows of trials.csv: what the format does not tell (placement, masks) is empty; a run
/// that did not verify is a failed trial. Errors are usage errors `file:line: ...`. `better` decides for values of
/// which neither the file nor the name of the operation says which direction is an improvement.
Result<void> read_results(ResultsFormat format, std::string_view text, const std::string& file,
                          std::optional<Better> better, const TrialRowConsumer& consume);

}  // namespace pinwise
