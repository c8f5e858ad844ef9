#pragma once
/// Reads CSV back as a whole: CRLF or LF, a byte order mark, columns in any order. For tables of any size:
/// csv_scanner.hpp.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"
#include "runner/record/csv_scanner.hpp"

namespace pinwise {

struct CsvRecord {
    int line = 0;  ///< of its first character
    std::vector<std::string> cells;
};

struct CsvDocument {
    std::vector<std::string> header;
    std::vector<CsvRecord> records;
    /// Line of a last record that has no line end: torn by a crash, so its last cell cannot be trusted; left out.
    std::optional<int> torn_line;

    /// Position of a column, absent when there is none of that name.
    [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
};

/// The names of the columns, from the first record. Usage errors `file:1: ...`: no header, a column twice.
Result<std::vector<std::string>> read_csv_header(CsvScanner& scanner, const std::string& file);

/// A record with another number of cells than the header is a usage error `file:line: ...`.
Result<void> check_cell_count(const CsvCells& record, std::size_t columns, const std::string& file);

/// Errors are usage errors `file:line: ...`: those of CsvScanner, of the header, and of the number of cells.
Result<CsvDocument> parse_csv(std::string_view text, const std::string& file);

}  // namespace pinwise
