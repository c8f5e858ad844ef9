#pragma once
/// Reads CSV back (libcsv): CRLF or LF, a byte order mark, columns in any order.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"

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

/// Errors are usage errors `file:line: ...`: no header, a column twice, a record with another number of cells, text
/// behind a closing quote.
Result<CsvDocument> parse_csv(std::string_view text, const std::string& file);

}  // namespace pinwise
