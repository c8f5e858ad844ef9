#pragma once
/// The one writer of CSV: RFC 4180, UTF-8, records end in CRLF, the same in every locale.

#include <cstdint>
#include <string>
#include <string_view>

namespace pinwise {

/// Builds records cell by cell. Numbers are written shortest-exact with '.'; a text that a spreadsheet would take for a
/// formula (first character = + - or @) gets an apostrophe in front, as does a text of apostrophes before one of those,
/// so that csv_text() restores every text exactly. Bytes that are not UTF-8 (what a program has printed, the name of a
/// thread) are written as \xNN.
class CsvWriter {
public:
    CsvWriter& text(std::string_view raw);
    CsvWriter& number(
        double value);  ///< a value that is not finite is a programming error: it is written as an empty cell
    CsvWriter& number(std::int64_t value);
    CsvWriter& empty();
    void end_record();

    [[nodiscard]] const std::string& str() const { return out_; }

private:
    void begin_cell();
    std::string out_;
    bool first_ = true;
};

/// The text behind a cell that CsvWriter::text() wrote: without the apostrophe that keeps it from being a formula.
std::string_view csv_text(std::string_view cell);

}  // namespace pinwise
