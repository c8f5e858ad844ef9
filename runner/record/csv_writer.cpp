#include "runner/record/csv_writer.hpp"

#include <cmath>

#include <fmt/format.h>

#include "placer/quoted.hpp"

namespace pinwise {
namespace {

/// Apostrophes, then a character that starts a formula.
bool looks_like_formula(std::string_view text) {
    const std::size_t at = text.find_first_not_of('\'');
    return at != std::string_view::npos && std::string_view("=+-@").find(text[at]) != std::string_view::npos;
}

}  // namespace

void CsvWriter::begin_cell() {
    if (!first_) out_ += ',';
    first_ = false;
}

CsvWriter& CsvWriter::text(std::string_view raw) {
    begin_cell();
    const std::string value = as_utf8(raw);
    const bool quoted = value.find_first_of(",\"\r\n") != std::string_view::npos ||
                        (!value.empty() && (value.front() == ' ' || value.back() == ' ' || value.front() == '\t' ||
                                            value.back() == '\t'));
    if (quoted) out_ += '"';
    if (looks_like_formula(value)) out_ += '\'';
    for (const char c : value) {
        if (c == '"') out_ += '"';
        out_ += c;
    }
    if (quoted) out_ += '"';
    return *this;
}

CsvWriter& CsvWriter::number(double value) {
    begin_cell();
    if (std::isfinite(value)) out_ += fmt::format("{}", value);  // without L, fmt ignores the locale
    return *this;
}

CsvWriter& CsvWriter::number(std::int64_t value) {
    begin_cell();
    out_ += fmt::format("{}", value);
    return *this;
}

CsvWriter& CsvWriter::empty() {
    begin_cell();
    return *this;
}

void CsvWriter::end_record() {
    out_ += "\r\n";
    first_ = true;
}

std::string_view csv_text(std::string_view cell) {
    if (cell.starts_with('\'') && looks_like_formula(cell)) cell.remove_prefix(1);
    return cell;
}

}  // namespace pinwise
