// numa_test_table RESULTS [--check | --check-homes]: where the jobs of numa_test were, from the results folder of a
// run: a line for each number of jobs, disturbance and strategy. --check: exit status 1 unless every trial is complete,
// and every job's shares of the nodes are in threads.csv. --check-homes: also unless the balancer had to move jobs in
// every disturbed trial and brought all of them home again, and jobs were there at least as much as under the OS
// default.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "placer/topology/cpu_list.hpp"
#include "runner/compare/comparison.hpp"
#include "runner/record/csv_reader.hpp"
#include "runner/record/trials_csv.hpp"
#include "runner/stats/summary.hpp"

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

bool is_disturbed(const Comparison& comparison) {
    return disturbance_of(comparison.parameters) != "none";
}

bool is_balanced(const StrategyColumn& column) {
    return column.balance != "none";
}

std::string strategy_of(const StrategyColumn& column) {
    return is_balanced(column) ? fmt::format("{}, balance {}", column.policy, column.balance) : column.policy;
}

std::string arm_of(const Comparison& comparison, std::size_t column) {
    return fmt::format("{} jobs, {}, {}", comparison.threads, disturbance_of(comparison.parameters),
                       strategy_of(comparison.columns[column]));
}

/// One value of each trial that has the metric.
std::vector<double> values_of(const Comparison& comparison, std::string_view metric, std::size_t column) {
    const auto row = std::ranges::find(comparison.rows, metric, &pinwise::MetricRow::metric);
    return row == comparison.rows.end() ? std::vector<double>{} : row->cells[column].values;
}

/// "median (lowest..highest)"; "-" where there is nothing.
std::string spread_text(const std::vector<double>& values, int decimals) {
    const auto median = pinwise::median(values);
    if (!median) return "-";
    const auto [least, most] = std::ranges::minmax(values);
    return fmt::format("{0:.{3}f} ({1:.{3}f}..{2:.{3}f})", *median, least, most, decimals);
}

/// What the balancer did in one trial.
struct Moves {
    int left = 0;
    int returned = 0;
    int away = 0;  ///< threads whose last move was not home
};

using MovesOfTrials = std::map<int, Moves>;

Moves read_moves(const std::filesystem::path& file) {
    const auto document = value_or_throw(pinwise::parse_csv(read_file(file), file.string()));
    const auto thread = document.column("thread").value();
    const auto reason = document.column("reason").value();
    const auto home = document.column("home_node").value();
    const auto to = document.column("to_node").value();
    Moves moves;
    std::map<std::string, bool> is_away;
    for (const auto& [line, cells] : document.records) {
        ++(cells[reason] == "busiest" ? moves.left : moves.returned);
        is_away[cells[thread]] = cells[to] != cells[home];
    }
    moves.away = static_cast<int>(std::ranges::count_if(is_away, &std::pair<const std::string, bool>::second));
    return moves;
}

/// From the files of moves beside the trials' output; a trial that failed may have none.
MovesOfTrials read_moves(const std::filesystem::path& results, std::span<const Comparison> comparisons) {
    MovesOfTrials moves;
    for (const Comparison& each : comparisons) {
        for (const StrategyColumn& column : each.columns) {
            if (!is_balanced(column)) continue;
            for (const int trial : column.trial_numbers) {
                const auto file = results / "output" / fmt::format("{:04}.moves.csv", trial);
                if (std::filesystem::exists(file)) moves[trial] = read_moves(file);
            }
        }
    }
    return moves;
}

/// One number of each balanced trial of a strategy.
std::vector<double> of_moves(const StrategyColumn& column, const MovesOfTrials& all, int Moves::*number) {
    std::vector<double> numbers;
    for (const int trial : column.trial_numbers)
        if (const auto found = all.find(trial); found != all.end()) numbers.push_back(found->second.*number);
    return numbers;
}

void print_table(std::span<const Comparison> comparisons, const MovesOfTrials& moves) {
    std::cout << "| jobs | disturbance | strategy | trials | on the home node, % | jobs that changed main node | jobs "
                 "ended away | home again after, s | moves away | moves home |\n"
                 "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const Comparison& each : comparisons) {
        for (std::size_t i = 0; i < each.columns.size(); ++i) {
            const StrategyColumn& column = each.columns[i];
            std::cout << fmt::format(
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", each.threads, disturbance_of(each.parameters),
                strategy_of(column), column.trials - column.failed, spread_text(values_of(each, "HomeShare", i), 1),
                spread_text(values_of(each, "JobsMoved", i), 0), spread_text(values_of(each, "JobsEndedAway", i), 0),
                spread_text(values_of(each, "HomeReturnTime", i), 2),
                spread_text(of_moves(column, moves, &Moves::left), 0),
                spread_text(of_moves(column, moves, &Moves::returned), 0));
        }
    }
}

/// What is missing of a complete record, one line each.
std::vector<std::string> gaps(std::span<const Comparison> comparisons, const pinwise::CsvDocument& threads) {
    std::vector<std::string> found;
    for (const Comparison& each : comparisons) {
        for (std::size_t i = 0; i < each.columns.size(); ++i) {
            for (const std::string& failure : each.columns[i].failures)
                found.push_back(fmt::format("{}: {}", arm_of(each, i), failure));
            if (is_disturbed(each) && values_of(each, "HomeReturnTime", i).empty())
                found.push_back(fmt::format("{}: no time of return is known", arm_of(each, i)));
        }
    }
    const auto shares = threads.column("node_shares");
    const auto without = std::ranges::count_if(
        threads.records, [&](const pinwise::CsvRecord& record) { return !shares || record.cells[*shares].empty(); });
    if (threads.records.empty() || without != 0)
        found.push_back(fmt::format("{} of {} jobs have no node shares", without, threads.records.size()));
    return found;
}

/// In numa_test's note on a job that was away from the end of the disturbance to its own.
constexpr std::string_view never_returned = "not every job was on its initial node again";

/// Compares medians, where there are trials enough for one.
bool is_less_at_home_than_under_os(const Comparison& comparison, std::size_t column) {
    constexpr std::size_t fewest_trials = 3;
    const auto os = std::ranges::find(comparison.columns, "os", &StrategyColumn::policy);
    if (os == comparison.columns.end()) throw std::runtime_error("there is no column of the OS default");
    const auto under_os = values_of(comparison, "HomeShare", static_cast<std::size_t>(os - comparison.columns.begin()));
    const auto shares = values_of(comparison, "HomeShare", column);
    if (std::min(shares.size(), under_os.size()) < fewest_trials) return false;
    return *pinwise::median(shares) < *pinwise::median(under_os);
}

/// What a balanced strategy owes, one line for each debt.
std::vector<std::string> not_at_home(const Comparison& comparison, std::size_t column, const MovesOfTrials& moves) {
    std::vector<std::string> found;
    const auto blame = [&](const std::string& what) {
        found.push_back(fmt::format("{}: {}", arm_of(comparison, column), what));
    };
    const StrategyColumn& arm = comparison.columns[column];
    const auto any_but_zero = [](const std::vector<double>& values) {
        return std::ranges::any_of(values, [](double value) { return value != 0; });
    };
    if (is_disturbed(comparison) && std::ranges::count(of_moves(arm, moves, &Moves::left), 0.0) != 0)
        blame("no job was sent away in a trial, so its return shows nothing");
    if (std::ranges::any_of(arm.remarks,
                            [](const std::string& remark) { return remark.find(never_returned) != std::string::npos; }))
        blame("a job did not return after the disturbance");
    // With more jobs than CPUs, those that are left when others have ended rightly take the CPUs of these.
    if (std::cmp_less_equal(comparison.threads, value_or_throw(pinwise::parse_cpu_list(arm.mask)).size())) {
        if (any_but_zero(values_of(comparison, "JobsEndedAway", column))) blame("jobs ended away");
        if (any_but_zero(of_moves(arm, moves, &Moves::away))) blame("a job was sent away and not home");
    }
    if (is_disturbed(comparison) && is_less_at_home_than_under_os(comparison, column))
        blame("jobs were less at home than under the OS default");
    return found;
}

std::vector<std::string> not_at_home(std::span<const Comparison> comparisons, const MovesOfTrials& moves) {
    std::vector<std::string> found;
    int balanced = 0;
    for (const Comparison& each : comparisons) {
        for (std::size_t i = 0; i < each.columns.size(); ++i) {
            if (!is_balanced(each.columns[i])) continue;
            ++balanced;
            std::ranges::move(not_at_home(each, i, moves), std::back_inserter(found));
        }
    }
    if (balanced == 0) found.emplace_back("no strategy has the balancer");
    return found;
}

constexpr const char* usage = "usage: numa_test_table RESULTS [--check | --check-homes]";

enum class Check { none, complete, homes };

int run(const std::filesystem::path& results, Check check) {
    const std::filesystem::path trials_file = results / "trials.csv";
    const std::filesystem::path threads_file = results / "threads.csv";
    const auto trials = value_or_throw(pinwise::parse_trials_csv(read_file(trials_file), trials_file.string()));
    const auto threads = value_or_throw(pinwise::parse_csv(read_file(threads_file), threads_file.string()));
    const auto comparisons = pinwise::compare(trials.rows);
    const auto moves = read_moves(results, comparisons);
    print_table(comparisons, moves);
    if (check == Check::none) return 0;
    auto wrong = gaps(comparisons, threads);
    if (check == Check::homes) std::ranges::move(not_at_home(comparisons, moves), std::back_inserter(wrong));
    for (const std::string& each : wrong)
        std::cerr << "numa_test_table: " << each << '\n';
    return wrong.empty() && !comparisons.empty() ? 0 : 1;
}

Check check_named(std::string_view option) {
    if (option == "--check") return Check::complete;
    if (option == "--check-homes") return Check::homes;
    throw std::runtime_error(usage);
}

}  // namespace

int main(int argc, char** argv) {
    const std::span arguments(argv, static_cast<std::size_t>(argc));
    try {
        if (argc != 2 && argc != 3) throw std::runtime_error(usage);
        return run(arguments[1], argc == 3 ? check_named(arguments[2]) : Check::none);
    } catch (const std::exception& error) {
        std::cerr << "numa_test_table: " << error.what() << '\n';
        return 2;
    }
}
