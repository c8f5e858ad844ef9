#include "runner/record/threads_table.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "runner/record/csv_reader.hpp"
#include "runner/record/csv_writer.hpp"

namespace pinwise {
namespace {

template <class Number>
bool read_number(const std::string& cell, Number& value) {
    const char* const end = cell.data() + cell.size();
    const auto [stop, status] = std::from_chars(cell.data(), end, value);
    return status == std::errc{} && stop == end && value >= 0;
}

template <class Number>
bool read_number(const std::string& cell, std::optional<Number>& value) {
    return cell.empty() || read_number(cell, value.emplace());
}

struct ReadColumn {
    std::string_view name;
    bool (*read)(const std::string&, ThreadRow&);
};

template <auto Member>
constexpr ReadColumn number_column(std::string_view name) {
    return {name, [](const std::string& cell, ThreadRow& row) { return read_number(cell, row.*Member); }};
}

constexpr std::array read_columns{
    number_column<&ThreadRow::trial>("trial"),
    number_column<&ThreadRow::thread>("thread"),
    ReadColumn{"name",
               [](const std::string& cell, ThreadRow& row) {
                   row.name = csv_text(cell);
                   return true;
               }},
    number_column<&ThreadRow::first_cpu>("first_cpu"),
    number_column<&ThreadRow::first_node>("first_node"),
    number_column<&ThreadRow::first_llc>("first_llc"),
    number_column<&ThreadRow::last_cpu>("last_cpu"),
    number_column<&ThreadRow::migrations>("migrations"),
};

}  // namespace

Result<std::vector<ThreadRow>> parse_threads_csv(std::string_view text, const std::string& file) {
    const auto document = parse_csv(text, file);
    if (!document) return tl::unexpected<Error>(document.error());
    std::array<std::size_t, read_columns.size()> positions{};
    for (std::size_t i = 0; i < read_columns.size(); ++i) {
        const auto found = document->column(read_columns.at(i).name);
        if (!found) return usage_error(fmt::format("{}:1: column \"{}\" is missing", file, read_columns.at(i).name));
        positions.at(i) = *found;
    }
    std::vector<ThreadRow> rows;
    rows.reserve(document->records.size());
    for (const CsvRecord& record : document->records) {
        ThreadRow& row = rows.emplace_back();
        for (std::size_t i = 0; i < read_columns.size(); ++i) {
            const std::string& cell = record.cells[positions.at(i)];
            if (!read_columns.at(i).read(cell, row))
                return usage_error(
                    fmt::format("{}:{}: {} is \"{}\"", file, record.line, read_columns.at(i).name, cell));
        }
    }
    return rows;
}

}  // namespace pinwise
