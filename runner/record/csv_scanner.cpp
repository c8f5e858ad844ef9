#include "runner/record/csv_scanner.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace pinwise {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// By byte: whether it ends a cell without quotes.
constexpr std::array<bool, 256> ends_plain_cell = [] {
    std::array<bool, 256> ends{};
    for (const char c : {',', '\n', '\r', '"'})
        ends.at(static_cast<unsigned char>(c)) = true;
    return ends;
}();

}  // namespace

CsvScanner::CsvScanner(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
}

CsvScanner::CellEnd CsvScanner::mistake(std::string_view what) {
    mistake_ = what;
    return CellEnd::mistake;
}

void CsvScanner::skip_empty_lines() {
    for (;;) {
        if (text_.substr(at_).starts_with('\n')) {
            at_ += 1;
        } else if (text_.substr(at_).starts_with("\r\n")) {
            at_ += 2;
        } else {
            return;
        }
        ++line_;
    }
}

Result<bool> CsvScanner::next(CsvCells& record) {
    skip_empty_lines();
    current_ = 1 - current_;
    unescaped_[current_].clear();
    record.cells.clear();
    record.line = line_;
    if (at_ == text_.size()) return false;
    for (;;) {
        const CellEnd end = read_cell(record);
        if (end == CellEnd::comma) continue;
        if (end == CellEnd::record) return true;
        if (end == CellEnd::mistake) return usage_error(fmt::format("{}:{}: {}", file_, line_, mistake_));
        torn_line_ = record.line;
        at_ = text_.size();
        return false;
    }
}

CsvScanner::CellEnd CsvScanner::read_cell(CsvCells& record) {
    if (at_ < text_.size() && text_[at_] == '"') return read_quoted_cell(record);
    const std::size_t begin = at_;
    std::size_t stop = begin;
    while (stop < text_.size() && !ends_plain_cell[static_cast<unsigned char>(text_[stop])])
        ++stop;
    record.cells.push_back(text_.substr(begin, stop - begin));
    at_ = stop;
    if (stop < text_.size() && text_[stop] == '"') return mistake("a quote inside a cell that does not start with one");
    return read_cell_end();
}

CsvScanner::CellEnd CsvScanner::read_quoted_cell(CsvCells& record) {
    const std::size_t begin = ++at_;
    std::string* unescaped = nullptr;
    std::size_t copied = begin;
    for (;;) {
        const std::size_t quote = text_.find('"', at_);
        if (quote == std::string_view::npos) return CellEnd::torn;
        line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                             text_.begin() + static_cast<std::ptrdiff_t>(quote), '\n'));
        at_ = quote + 1;
        const bool doubled = at_ < text_.size() && text_[at_] == '"';
        if (!doubled) break;
        if (unescaped == nullptr) unescaped = &unescaped_[current_].emplace_back();
        unescaped->append(text_.substr(copied, at_ - copied));
        copied = ++at_;
    }
    const std::string_view rest = text_.substr(copied, at_ - 1 - copied);
    if (unescaped != nullptr) unescaped->append(rest);
    record.cells.push_back(unescaped != nullptr ? std::string_view(*unescaped) : rest);
    return read_cell_end();
}

CsvScanner::CellEnd CsvScanner::read_cell_end() {
    if (at_ == text_.size()) return CellEnd::torn;
    const char c = text_[at_++];
    if (c == ',') return CellEnd::comma;
    if (c == '\r') {
        if (at_ == text_.size()) return CellEnd::torn;
        if (text_[at_] != '\n') return mistake("a carriage return without a line feed");
        ++at_;
    } else if (c != '\n') {
        return mistake("text behind a closing quote");
    }
    ++line_;
    return CellEnd::record;
}

}  // namespace pinwise
