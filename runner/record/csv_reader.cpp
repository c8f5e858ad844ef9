#include "runner/record/csv_reader.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace pinwise {

std::optional<std::size_t> CsvDocument::column(std::string_view name) const {
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header.begin());
}

Result<std::vector<std::string>> read_csv_header(CsvScanner& scanner, const std::string& file) {
    CsvCells record;
    const auto found = scanner.next(record);
    if (!found) return tl::unexpected<Error>(found.error());
    if (!*found) return usage_error(fmt::format("{}:1: no header line", file));
    std::set<std::string_view> seen;
    for (const std::string_view name : record.cells)
        if (!seen.insert(name).second) return usage_error(fmt::format("{}:1: column \"{}\" occurs twice", file, name));
    return std::vector<std::string>(record.cells.begin(), record.cells.end());
}

Result<void> check_cell_count(const CsvCells& record, std::size_t columns, const std::string& file) {
    if (record.cells.size() == columns) return {};
    return usage_error(
        fmt::format("{}:{}: {} cells where the header has {}", file, record.line, record.cells.size(), columns));
}

Result<CsvDocument> parse_csv(std::string_view text, const std::string& file) {
    CsvScanner scanner(text, file);
    auto header = read_csv_header(scanner, file);
    if (!header) return tl::unexpected<Error>(header.error());
    CsvDocument document;
    document.header = *std::move(header);
    CsvCells record;
    for (;;) {
        const auto more = scanner.next(record);
        if (!more) return tl::unexpected<Error>(more.error());
        if (!*more) break;
        if (const auto good = check_cell_count(record, document.header.size(), file); !good)
            return tl::unexpected<Error>(good.error());
        document.records.push_back({record.line, {record.cells.begin(), record.cells.end()}});
    }
    document.torn_line = scanner.torn_line();
    return document;
}

}  // namespace pinwise
