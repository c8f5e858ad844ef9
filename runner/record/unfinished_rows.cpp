#include "runner/record/unfinished_rows.hpp"

#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "runner/record/csv_reader.hpp"
#include "runner/record/trials_csv.hpp"

namespace pinwise {
namespace {

/// The row that ends a trial, see trial_rows().
constexpr std::string_view last_metric = "sys";

/// Offsets behind every record, the header's first. A quote inside a cell comes in pairs.
std::vector<std::size_t> record_ends(std::string_view text) {
    std::vector<std::size_t> ends;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (text[i] == '\n' && !quoted) ends.push_back(i + 1);
    }
    return ends;
}

Result<void> find_finished_trials(std::string_view text, const std::string& file, FinishedPart& part) {
    const auto table = parse_trials_csv(text, file);
    if (!table) return tl::unexpected<Error>(table.error());
    const std::vector<std::size_t> ends = record_ends(text);
    part.trials_bytes = ends.front();
    const auto& rows = table->rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].metric != last_metric) continue;
        if (!part.trials.insert(rows[i].trial).second)
            return usage_error(fmt::format("{}: trial {} is in it twice", file, rows[i].trial));
        part.trials_bytes = ends[i + 1];
    }
    return {};
}

Result<void> find_their_threads(std::string_view text, const std::string& file, FinishedPart& part) {
    const auto document = parse_csv(text, file);
    if (!document) return tl::unexpected<Error>(document.error());
    const auto column = document->column("trial");
    if (!column) return usage_error(fmt::format("{}:1: no column \"trial\"", file));
    const std::vector<std::size_t> ends = record_ends(text);
    part.threads_bytes = ends.front();
    bool at_end = false;
    for (std::size_t i = 0; i < document->records.size(); ++i) {
        const CsvRecord& record = document->records[i];
        const std::string& cell = record.cells[*column];
        int trial = 0;
        std::from_chars(cell.data(), cell.data() + cell.size(), trial);
        const bool finished = part.trials.contains(trial);
        if (finished && at_end)
            return usage_error(
                fmt::format("{}:{}: rows of finished trials behind those of one that is not", file, record.line));
        at_end = !finished;
        if (finished) part.threads_bytes = ends[i + 1];
    }
    return {};
}

}  // namespace

Result<FinishedPart> finished_part(std::string_view trials_csv, std::string_view threads_csv,
                                   const std::string& folder) {
    FinishedPart part;
    if (const auto found = find_finished_trials(trials_csv, folder + "/trials.csv", part); !found)
        return tl::unexpected<Error>(found.error());
    if (const auto found = find_their_threads(threads_csv, folder + "/threads.csv", part); !found)
        return tl::unexpected<Error>(found.error());
    return part;
}

}  // namespace pinwise
