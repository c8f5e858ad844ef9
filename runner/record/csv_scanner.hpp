#pragma once
/// Walks through the records of a CSV text (RFC 4180; CRLF or LF) without copying it: the reader for tables of any
/// size.

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/result.hpp"

namespace pinwise {

/// One record. The cells of it and of the record before it stay valid; those of earlier ones do not.
struct CsvCells {
    int line = 0;  ///< of its first character
    std::vector<std::string_view> cells;
};

class CsvScanner {
public:
    /// `text` is kept as a view; `file` is for messages. A byte order mark is skipped.
    CsvScanner(std::string_view text, std::string file);

    /// Reads the next record; false at the end of the text. Empty lines are skipped. Usage errors `file:line: ...`: a
    /// quote inside an unquoted cell, text behind a closing quote, a carriage return without a line feed.
    Result<bool> next(CsvCells& record);

    /// Line of a last record that has no line end, set when next() has returned false: torn by a crash, so its last
    /// cell cannot be trusted; it is not among the records.
    [[nodiscard]] std::optional<int> torn_line() const { return torn_line_; }

private:
    enum class CellEnd { comma, record, torn, mistake };

    /// Says what is wrong with the cell; next() makes an error of it, so that millions of right cells need none.
    CellEnd mistake(std::string_view what);
    CellEnd read_cell(CsvCells& record);
    CellEnd read_quoted_cell(CsvCells& record);
    CellEnd read_cell_end();
    void skip_empty_lines();

    std::string_view text_;
    std::string file_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::optional<int> torn_line_;
    std::string_view mistake_;
    /// Cells with doubled quotes, which no view into the text can be: of this record and of the one before it.
    std::array<std::deque<std::string>, 2> unescaped_;
    std::size_t current_ = 0;
};

}  // namespace pinwise
