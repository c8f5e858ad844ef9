// numa_test_table RESULTS [--check]: where the jobs of numa_test were, from the results folder of a run: a line for
// each number of jobs, disturbance and strategy. --check: exit status 1 unless every trial is complete, and every job's
// shares of the nodes are in threads.csv.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runner/compare/comparison.hpp"
#include "runner/record/csv_reader.hpp"
#include "runner/record/trials_csv.hpp"

namespace {

using pinwise::Comparison;
using pinwise::StrategyColumn;

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(fmt::format("{} cannot be read", path.string()));
    return {std::istreambuf_iterator<char>(file), {}};
}

template <class Value>
Value value_or_throw(pinwise::Result<Value> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
}

/// "none" of "size=1000 disturb=none disturb_after=1".
std::string disturbance_of(const std::string& parameters) {
    constexpr std::string_view key = " disturb=";
    const std::size_t begin = parameters.find(key) + key.size();
    return parameters.substr(begin, parameters.find(" disturb_after=") - begin);
}

std::string strategy_of(const StrategyColumn& column) {
    return column.policy == "os" ? "os" : fmt::format("{}, bind {}", column.policy, column.bind);
}

/// Mean (lowest..highest) of a metric; "-" where no trial has it.
std::string mean_of(const Comparison& comparison, std::string_view metric, std::size_t column) {
    const auto row = std::ranges::find(comparison.rows, metric, &pinwise::MetricRow::metric);
    if (row == comparison.rows.end() || row->cells[column].values.empty()) return "-";
    const std::vector<double>& values = row->cells[column].values;
    double sum = 0;
    for (const double value : values)
        sum += value;
    const auto [least, most] = std::ranges::minmax(values);
    return fmt::format("{:.2f} ({:.2f}..{:.2f})", sum / static_cast<double>(values.size()), least, most);
}

void print_table(std::span<const Comparison> comparisons) {
    std::cout
        << "| jobs | disturbance | strategy | trials | HomeShare % | JobsMoved | JobsEndedAway | HomeReturnTime s | "
           "migrations |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const Comparison& each : comparisons) {
        for (std::size_t i = 0; i < each.columns.size(); ++i) {
            const StrategyColumn& column = each.columns[i];
            std::cout << fmt::format("| {} | {} | {} | {} |", each.threads, disturbance_of(each.parameters),
                                     strategy_of(column), column.trials - column.failed);
            for (const char* metric : {"HomeShare", "JobsMoved", "JobsEndedAway", "HomeReturnTime"})
                std::cout << fmt::format(" {} |", mean_of(each, metric, i));
            std::cout << (column.migrations ? fmt::format(" {:g} |\n", *column.migrations) : " - |\n");
        }
    }
}

/// What is missing of a complete record, one line each.
std::vector<std::string> gaps(std::span<const Comparison> comparisons, const pinwise::CsvDocument& threads) {
    std::vector<std::string> found;
    for (const Comparison& each : comparisons) {
        const bool disturbed = disturbance_of(each.parameters) != "none";
        for (std::size_t i = 0; i < each.columns.size(); ++i) {
            const std::string arm = fmt::format("{} jobs, {}, {}", each.threads, disturbance_of(each.parameters),
                                                strategy_of(each.columns[i]));
            for (const std::string& failure : each.columns[i].failures)
                found.push_back(fmt::format("{}: {}", arm, failure));
            if (disturbed && mean_of(each, "HomeReturnTime", i) == "-")
                found.push_back(fmt::format("{}: no time of return is known", arm));
        }
    }
    const auto shares = threads.column("node_shares");
    const auto without = std::ranges::count_if(
        threads.records, [&](const pinwise::CsvRecord& record) { return !shares || record.cells[*shares].empty(); });
    if (threads.records.empty() || without != 0)
        found.push_back(fmt::format("{} of {} jobs have no node shares", without, threads.records.size()));
    return found;
}

int run(const std::filesystem::path& results, bool check) {
    const std::filesystem::path trials_file = results / "trials.csv";
    const std::filesystem::path threads_file = results / "threads.csv";
    const auto trials = value_or_throw(pinwise::parse_trials_csv(read_file(trials_file), trials_file.string()));
    const auto threads = value_or_throw(pinwise::parse_csv(read_file(threads_file), threads_file.string()));
    const auto comparisons = pinwise::compare(trials.rows);
    print_table(comparisons);
    if (!check) return 0;
    const auto missing = gaps(comparisons, threads);
    for (const std::string& gap : missing)
        std::cerr << "numa_test_table: " << gap << '\n';
    return missing.empty() && !comparisons.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::span arguments(argv, static_cast<std::size_t>(argc));
    const bool check = argc == 3 && std::string_view(arguments[2]) == "--check";
    if (argc != 2 && !check) {
        std::cerr << "usage: numa_test_table RESULTS [--check]\n";
        return 2;
    }
    try {
        return run(arguments[1], check);
    } catch (const std::exception& error) {
        std::cerr << "numa_test_table: " << error.what() << '\n';
        return 2;
    }
}
