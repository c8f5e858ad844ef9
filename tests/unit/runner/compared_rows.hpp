#pragma once
/// Rows of a run for tests of the comparison, without running one.

#include <string>
#include <vector>

#include "runner/record/trials_csv.hpp"

namespace pinwise::test {

/// One finished trial of one metric; the fields that tests set are the last ones.
inline TrialRow trial_row(int trial, const std::string& policy, double value, int arm = 1) {
    TrialRow row;
    row.trial = trial;
    row.repetition = 1;
    row.position = trial;
    row.workload = "stream";
    row.parameters = "size=auto";
    row.threads = 8;
    row.cpus = "all";
    row.mask = "0-7";
    row.policy = policy;
    row.bind = policy == "os" ? "none" : "cpu";
    row.arm = arm;
    row.metric = "Triad";
    row.value = value;
    row.unit = "MB/s";
    row.better = Better::higher;
    row.status = "ok";
    return row;
}

/// Samples of the control and of one strategy that ran in turns: trials 1, 3, 5, ... and 2, 4, 6, ....
inline std::vector<TrialRow> in_turns(const std::vector<double>& control, const std::vector<double>& placed) {
    std::vector<TrialRow> rows;
    for (std::size_t i = 0; i < control.size(); ++i)
        rows.push_back(trial_row(2 * static_cast<int>(i) + 1, "os", control[i]));
    for (std::size_t i = 0; i < placed.size(); ++i)
        rows.push_back(trial_row(2 * static_cast<int>(i) + 2, "idlest", placed[i]));
    return rows;
}

}  // namespace pinwise::test
