// balance_table TRIALS.CSV [--check]: where jobs were, strategy by strategy, in the trials of balance.sh. With --check
// the exit status is 1 unless every balanced trial ended with all jobs at home, and these were there at least as much,
// on average, as under the OS default in the same case.

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "runner/record/trials_csv.hpp"

namespace {

using pinwise::TrialRow;

constexpr std::array<std::string_view, 5> metrics{"HomeShare", "JobsMoved", "JobsEndedAway", "HomeReturnTime",
                                                  "ElapsedTime"};

struct Trial {
    bool disturbed = false;
    bool balanced = false;
    bool ok = false;
    std::string strategy;
    std::string reason;
    std::map<std::string, double, std::less<>> values;

    [[nodiscard]] std::string cell(std::string_view metric) const {
        const auto found = values.find(metric);
        return found == values.end() ? "-" : fmt::format("{:.1f}", found->second);
    }
};

std::map<int, Trial> trials_of(const std::vector<TrialRow>& rows) {
    std::map<int, Trial> trials;
    for (const TrialRow& row : rows) {
        Trial& trial = trials[row.trial];
        trial.disturbed = row.parameters.find("disturb=none") == std::string::npos;
        trial.balanced = row.balance != "none";
        trial.ok = row.status == "ok";
        trial.strategy = trial.balanced ? fmt::format("{}, balance {}", row.policy, row.balance) : row.policy;
        trial.reason = row.reason;
        if (row.value) trial.values[row.metric] = *row.value;
    }
    return trials;
}

/// "8 moves off the busiest node, 8 home, 0 threads away at the end", where a balancer was at work.
std::string said_by_balancer(const Trial& trial) {
    constexpr std::string_view begin = "balancer: ";
    const auto at = trial.reason.find(begin);
    if (at == std::string::npos) return {};
    const auto rest = trial.reason.substr(at + begin.size());
    return rest.substr(0, rest.find(';'));
}

void print_table(const std::map<int, Trial>& trials) {
    fmt::print(
        "| node 0 crowded for a while | strategy | on the home node, % | jobs that changed main node | jobs ended away "
        "| "
        "home again after, s | elapsed, s | balancer |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const bool disturbed : {false, true}) {
        for (const auto& [number, trial] : trials) {
            if (trial.disturbed != disturbed) continue;
            fmt::print("| {} | {} |", disturbed ? "yes" : "no", trial.strategy);
            for (const std::string_view metric : metrics)
                fmt::print(" {} |", trial.cell(metric));
            fmt::print(" {} |\n", said_by_balancer(trial));
        }
    }
}

double value(const Trial& trial, std::string_view metric, double otherwise) {
    const auto found = trial.values.find(metric);
    return found == trial.values.end() ? otherwise : found->second;
}

std::vector<std::string> problems(const std::map<int, Trial>& trials) {
    std::vector<std::string> found;
    std::map<bool, double> share_under_os;
    int balanced = 0;
    for (const auto& [number, trial] : trials) {
        if (!trial.ok) found.push_back(fmt::format("trial {} failed: {}", number, trial.reason));
        if (trial.strategy == "os") share_under_os[trial.disturbed] = value(trial, "HomeShare", 0);
        balanced += trial.balanced ? 1 : 0;
    }
    if (balanced != 2) found.push_back(fmt::format("{} balanced trials instead of 2", balanced));
    for (const auto& [number, trial] : trials) {
        if (!trial.balanced) continue;
        const char* const which = trial.disturbed ? "crowded" : "alone";
        if (value(trial, "JobsEndedAway", -1) != 0)
            found.push_back(fmt::format("{}: {} balanced jobs ended away", which, trial.cell("JobsEndedAway")));
        if (value(trial, "HomeShare", 0) < share_under_os[trial.disturbed])
            found.push_back(fmt::format("{}: balanced jobs were less at home than under the OS", which));
    }
    return found;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool check = arguments.size() == 2 && arguments[1] == "--check";
    if (arguments.empty() || (arguments.size() > 1 && !check)) {
        fmt::print(stderr, "usage: balance_table TRIALS.CSV [--check]\n");
        return 2;
    }
    std::ifstream file(arguments[0], std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const auto table = pinwise::parse_trials_csv(text.str(), arguments[0]);
    if (!table) {
        fmt::print(stderr, "{}\n", table.error().message);
        return 2;
    }
    const auto trials = trials_of(table->rows);
    print_table(trials);
    if (!check) return 0;
    const auto wrong = problems(trials);
    for (const std::string& each : wrong)
        fmt::print(stderr, "balance_table: {}\n", each);
    return wrong.empty() ? 0 : 1;
}
