#include "runner/record/csv_reader.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include <csv.h>
#include <fmt/format.h>

namespace pinwise {
namespace {

/// What libcsv's callbacks fill.
struct Collector {
    std::vector<CsvRecord> records;
    CsvRecord current;
    int line = 1;  ///< of the physical line being parsed
};

void on_cell(void* cell, std::size_t size, void* collector) {
    auto& to = *static_cast<Collector*>(collector);
    to.current.cells.emplace_back(static_cast<const char*>(cell), size);
}

void on_record(int /*terminator*/, void* collector) {
    auto& to = *static_cast<Collector*>(collector);
    to.records.push_back(std::move(to.current));
    to.current = {};
}

/// libcsv's name for it is private.
constexpr int row_not_begun = 0;

/// Blanks are data: libcsv trims what it takes for space.
int never_space(unsigned char /*c*/) {
    return 0;
}

struct Parser {
    Parser() {
        csv_init(&state, CSV_STRICT);
        csv_set_space_func(&state, never_space);
    }
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;
    Parser(Parser&&) = delete;
    Parser& operator=(Parser&&) = delete;
    ~Parser() { csv_free(&state); }
    csv_parser state{};
};

/// Length of the last stretch that is not ended by a line end outside quotes; a quote inside a cell comes in pairs.
std::size_t torn_length(std::string_view text) {
    std::size_t last_end = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (text[i] == '\n' && !quoted) last_end = i + 1;
    }
    return text.size() - last_end;
}

Result<void> check_header(const CsvDocument& document, const std::string& file) {
    std::set<std::string_view> seen;
    for (const std::string& name : document.header)
        if (!seen.insert(name).second) return usage_error(fmt::format("{}:1: column \"{}\" occurs twice", file, name));
    return {};
}

Result<std::vector<CsvRecord>> parse_records(std::string_view text, const std::string& file) {
    Parser parser;
    Collector collector;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
        if (collector.current.cells.empty() && parser.state.pstate == row_not_begun)
            collector.current.line = collector.line;
        if (csv_parse(&parser.state, text.data(), length, on_cell, on_record, &collector) != length)
            return usage_error(fmt::format("{}:{}: {}", file, collector.line, csv_strerror(csv_error(&parser.state))));
        text.remove_prefix(length);
        ++collector.line;
    }
    csv_fini(&parser.state, on_cell, on_record, &collector);
    return std::move(collector.records);
}

}  // namespace

std::optional<std::size_t> CsvDocument::column(std::string_view name) const {
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header.begin());
}

Result<CsvDocument> parse_csv(std::string_view text, const std::string& file) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const std::size_t torn = torn_length(text);
    const std::string_view whole = text.substr(0, text.size() - torn);
    auto records = parse_records(whole, file);
    if (!records) return tl::unexpected<Error>(records.error());
    if (records->empty()) return usage_error(fmt::format("{}:1: no header line", file));
    CsvDocument document;
    document.header = std::move(records->front().cells);
    if (const auto good = check_header(document, file); !good) return tl::unexpected<Error>(good.error());
    document.records.assign(std::make_move_iterator(records->begin() + 1), std::make_move_iterator(records->end()));
    for (const CsvRecord& record : document.records) {
        if (record.cells.size() != document.header.size())
            return usage_error(fmt::format("{}:{}: {} cells where the header has {}", file, record.line,
                                           record.cells.size(), document.header.size()));
    }
    if (torn > 0) document.torn_line = 1 + static_cast<int>(std::ranges::count(whole, '\n'));
    return document;
}

}  // namespace pinwise
