#pragma once
/// Checks trials.csv row by row, in one pass and without keeping more than a row of each trial.

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "runner/record/trials_csv.hpp"
#include "runner/validate/problems.hpp"

namespace pinwise {

/// What is known of a trial when its rows have been read.
struct CheckedTrial {
    TrialRow first;  ///< its first row: everything but the metric is the same in all of them
    int line = 0;
    bool has_last_row = false;  ///< `sys`, which pinwise writes last
};

/// In the order of the file. A deque, which does not move hundreds of megabytes to grow.
using CheckedTrials = std::deque<CheckedTrial>;

class TrialsCheck {
public:
    TrialsCheck(std::string file, Problems& problems) : file_(std::move(file)), problems_(problems) {}

    /// Rows in the order of the file: those of a trial stand together.
    void row(const TrialRow& row, int line);
    /// What only shows at the end: numbers and positions that occur twice.
    void finish();

    /// What was read; call once, at the end.
    [[nodiscard]] CheckedTrials take_trials() { return std::move(trials_); }
    [[nodiscard]] std::size_t rows() const { return rows_; }

private:
    void check_words(const TrialRow& row, int line);
    void check_same_trial(const TrialRow& row, int line);
    void check_value(const TrialRow& row, int line);

    std::string file_;
    Problems& problems_;
    CheckedTrials trials_;
    std::vector<std::string> metrics_;  ///< of the trial that is being read
    std::size_t rows_ = 0;
};

/// One pass over a whole table. A table that cannot be read is a problem like any other.
CheckedTrials check_trials(const std::string& text, const std::string& file, Problems& problems, std::size_t& rows);

}  // namespace pinwise
