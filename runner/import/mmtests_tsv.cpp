#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include "placer/quoted.hpp"
#include "runner//import/foreign_rows.hpp"

namespace pinwise {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t tab = line.find('\t');
        fields.push_back(trimmed(line.substr(0, tab)));
        if (tab == std::string_view::npos) return fields;
        line.remove_prefix(tab + 1);
    }
}

/// Where each column is; operation, sample and value in this order where no header says otherwise.
struct Columns {
    std::map<std::string, std::size_t, std::less<>> at;

    [[nodiscard]] std::string_view in(const std::vector<std::string_view>& fields, std::string_view name) const {
        const auto found = at.find(name);
        return found != at.end() && found->second < fields.size() ? fields[found->second] : std::string_view{};
    }
};

bool is_header(const std::vector<std::string_view>& fields) {
    return std::ranges::find(fields, "operation") != fields.end() && std::ranges::find(fields, "value") != fields.end();
}

Columns columns_of_header(const std::vector<std::string_view>& fields) {
    Columns columns;
    for (std::size_t i = 0; i < fields.size(); ++i)
        columns.at.emplace(fields[i], i);
    return columns;
}

Columns columns_of_count(std::size_t count) {
    if (count == 2) return {{{"operation", 0}, {"value", 1}}};
    return {{{"operation", 0}, {"sample", 1}, {"value", 2}}};
}

/// What the operations of benchmarks that everybody knows are; a name may have a thread count behind it: "copy-16".
std::optional<Better> better_of_operation(std::string_view operation) {
    std::string word(operation.substr(0, operation.find_first_of("-. ")));
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::string_view, 6> rates{"copy", "scale", "add", "triad", "mb/sec", "mop/s"};
    constexpr std::array<std::string_view, 9> times{"time",   "elsp", "elapsed", "user",    "syst",
                                                    "system", "sys",  "wall",    "sys_time"};
    if (std::ranges::find(rates, word) != rates.end()) return Better::higher;
    if (std::ranges::find(times, word) != times.end()) return Better::lower;
    return std::nullopt;
}

Result<Better> decide_better(std::string_view operation, std::string_view written, std::optional<Better> asked,
                             const std::string& where) {
    if (written == "higher") return Better::higher;
    if (written == "lower") return Better::lower;
    if (!written.empty())
        return usage_error(fmt::format("{}: better is \"{}\"; it is \"higher\" or \"lower\"", where, written));
    if (asked) return *asked;
    if (const auto known = better_of_operation(operation)) return *known;
    return usage_error(fmt::format(
        "{}: is a higher \"{}\" better or a lower one? say --better higher or --better lower", where, operation));
}

}  // namespace

Result<void> read_mmtests_tsv(std::string_view text, const std::string& file, std::optional<Better> better,
                              const TrialRowConsumer& consume) {
    Lines lines(text);
    Columns columns;
    std::map<std::pair<std::string, std::string>, int> samples;
    while (const auto line = lines.next()) {
        if (trimmed(*line).empty() || line->starts_with('#')) continue;
        const auto fields = fields_of(*line);
        const std::string where = fmt::format("{}:{}", file, lines.number());
        if (columns.at.empty()) {
            const bool header = is_header(fields);
            columns = header ? columns_of_header(fields) : columns_of_count(fields.size());
            if (header) continue;
        }
        const std::string operation(columns.in(fields, "operation"));
        const auto value = finite_number(columns.in(fields, "value"));
        if (operation.empty() || !value)
            return usage_error(fmt::format("{}: an operation and a number are needed: \"{}\"", where, *line));
        const auto direction = decide_better(operation, columns.in(fields, "better"), better, where);
        if (!direction) return tl::unexpected<Error>(direction.error());
        const std::string name(columns.in(fields, "name"));
        TrialRow row;
        row.workload = std::string("mmtests");
        row.variant = on_one_line(name);
        row.trial = ++samples[{name, operation}];
        row.repetition = row.trial;
        row.position = row.trial;
        row.metric = on_one_line(operation);
        row.value = value;
        row.unit = on_one_line(columns.in(fields, "unit"));
        row.better = *direction;
        row.status = std::string("ok");
        if (auto taken = consume(row, lines.number()); !taken) return taken;
    }
    if (samples.empty()) return usage_error(fmt::format("{}: no sample in it", file));
    return {};
}

}  // namespace pinwise
