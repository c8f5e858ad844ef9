#include "runner/import/foreign_rows.hpp"

#include <charconv>
#include <cmath>

#include "placer/quoted.hpp"

namespace pinwise {

std::optional<std::string_view> Lines::next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<double> finite_number(std::string_view text) {
    text = trimmed(text);
    double value = 0;
    const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || stop != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::optional<double> number_behind(std::string_view line, std::string_view prefix) {
    line = trimmed(line);
    if (!line.starts_with(prefix)) return std::nullopt;
    line = trimmed(line.substr(prefix.size()));
    return finite_number(line.substr(0, line.find_first_of(" \t")));
}

Result<void> consume_trial(const ForeignTrial& trial, int number, int line, const TrialRowConsumer& consume) {
    TrialRow row;
    row.trial = number;
    row.repetition = number;
    row.position = number;
    row.workload = on_one_line(trial.workload);
    row.parameters = on_one_line(trial.parameters);
    row.threads = trial.threads;
    row.status = std::string(trial.failure.empty() ? "ok" : "failed");
    row.reason = on_one_line(trial.failure);
    std::vector<ForeignTrial::Value> values = trial.values;
    if (values.empty() && !trial.failure.empty()) values.push_back({"wall", 0, "s", Better::lower});
    for (const ForeignTrial::Value& each : values) {
        row.metric = on_one_line(each.metric);
        row.unit = on_one_line(each.unit);
        row.better = each.better;
        row.value = trial.failure.empty() ? std::optional(each.value) : std::nullopt;
        if (auto taken = consume(row, line); !taken) return taken;
    }
    return {};
}

}  // namespace pinwise
