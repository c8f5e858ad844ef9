/// What the comparison makes of noise: of arms that differ in nothing, of two-valued samples, of drift.

#include <algorithm>
#include <functional>
#include <random>

#include <gmock/gmock.h>

#include "runner/compare/comparison.hpp"
#include "runner/compare/table.hpp"
#include "tests/unit/runner/compared_rows.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A machine: the value of the trial at a position, of whatever strategy.
using Machine = std::function<double(int position, std::mt19937_64& random)>;

/// Experiments in which a strategy that differs in nothing is told from the control. Blocks of the control, the control
/// again and the strategy, shuffled, as `pinwise run` has them.
int false_positives(const Machine& machine, int repetitions, int experiments) {
    int told = 0;
    std::mt19937_64 random(17);
    for (int experiment = 0; experiment < experiments; ++experiment) {
        std::vector<TrialRow> rows;
        for (int repetition = 0; repetition < repetitions; ++repetition) {
            std::vector<std::pair<std::string, int>> block{{"os", 1}, {"os", 2}, {"idlest", 1}};
            std::ranges::shuffle(block, random);
            for (const auto& [policy, arm] : block) {
                const int position = static_cast<int>(rows.size()) + 1;
                rows.push_back(test::trial_row(position, policy, machine(position, random), arm));
            }
        }
        const auto comparisons = compare(rows, false);
        const MetricRow& row = comparisons.at(0).rows.at(0);
        told += row.cells.at(1).verdict == Verdict::differs ? 1 : 0;
    }
    return told;
}

double skewed(int /*position*/, std::mt19937_64& random) {
    return 100 / (1 + std::lognormal_distribution<double>(-2, 1)(random));
}

double two_valued(int /*position*/, std::mt19937_64& random) {
    return (random() % 2 == 0 ? 43.0 : 62.0) + std::normal_distribution<double>(0, 0.5)(random);
}

double two_valued_for_a_while(int position, std::mt19937_64& random) {
    return (position / 5 % 2 == 0 ? 43.0 : 62.0) + std::normal_distribution<double>(0, 0.5)(random);
}

double drifting(int position, std::mt19937_64& random) {
    return 100 - 0.5 * position + std::normal_distribution<double>(0, 1)(random);
}

double in_few_steps(int /*position*/, std::mt19937_64& random) {
    return 1 + static_cast<double>(random() % 3);
}

TEST(Noise, is_taken_for_a_change_in_at_most_one_of_twenty_experiments) {
    constexpr int experiments = 500;
    for (const Machine& machine :
         std::vector<Machine>{skewed, two_valued, two_valued_for_a_while, drifting, in_few_steps}) {
        const int told = false_positives(machine, 6, experiments) + false_positives(machine, 10, experiments);
        EXPECT_LE(told, 2 * experiments / 20);
    }
}

TEST(NoiseFloor, is_the_change_between_the_two_arms_of_the_control) {
    std::vector<TrialRow> rows;
    for (int i = 0; i < 5; ++i) {
        rows.push_back(test::trial_row(3 * i + 1, "os", 100 + i));
        rows.push_back(test::trial_row(3 * i + 2, "os", 104 + i, 2));
        rows.push_back(test::trial_row(3 * i + 3, "idlest", 150 + i));
    }
    const auto comparisons = compare(rows);
    ASSERT_EQ(comparisons.at(0).columns.size(), 2U) << "the second arm is no column";
    const MetricRow& row = comparisons[0].rows.at(0);
    EXPECT_EQ(row.cells[0].values.size(), 5U);
    EXPECT_NEAR(*noise_floor_percent(row), 100 * 4.0 / 102, 0.01);
    EXPECT_EQ(row.cells[1].verdict, Verdict::differs);
    const std::string table = format_tables(comparisons);
    EXPECT_THAT(table, HasSubstr("(A/A   3.92%)"));
    EXPECT_THAT(table, HasSubstr("A/A: change between two arms of the baseline"));
    EXPECT_THAT(table, HasSubstr("5+5"));
}

TEST(NoiseFloor, hides_a_change_that_the_control_makes_by_itself) {
    std::vector<TrialRow> rows;
    for (int i = 0; i < 6; ++i) {
        rows.push_back(test::trial_row(3 * i + 1, "os", 100 + 0.1 * i));
        rows.push_back(test::trial_row(3 * i + 2, "os", 103 + 0.1 * i, 2));
        rows.push_back(test::trial_row(3 * i + 3, "idlest", 102 + 0.1 * i));
    }
    const auto comparisons = compare(rows);
    const Cell& cell = comparisons.at(0).rows.at(0).cells.at(1);
    EXPECT_LE(*cell.p_value, 0.05);
    EXPECT_EQ(cell.verdict, Verdict::noise);
}

TEST(NoiseFloor, says_why_there_is_none) {
    std::vector<TrialRow> rows = test::in_turns({100, 101, 102, 103}, {150, 151, 152, 153});
    EXPECT_THAT(format_tables(compare(rows)), Not(HasSubstr("A/A")));
    TrialRow failed = test::trial_row(99, "os", 0, 2);
    failed.status = "failed";
    failed.value.reset();
    rows.push_back(failed);
    EXPECT_THAT(format_tables(compare(rows)), HasSubstr("(A/A: 1 failed)"));
}

TEST(Interval, of_a_change_is_positive_when_better_for_times_too) {
    auto rows = test::in_turns({10, 11, 12, 10.5, 11.5}, {5, 5.5, 6, 5.2, 5.8});
    for (TrialRow& row : rows) {
        row.unit = "s";
        row.better = Better::lower;
    }
    const auto comparisons = compare(rows);
    const Cell& cell = comparisons.at(0).rows.at(0).cells.at(1);
    ASSERT_TRUE(cell.change_interval);
    EXPECT_GT(cell.change_interval->low, 40);
    EXPECT_LT(cell.change_interval->low, *cell.change_percent);
    EXPECT_GT(cell.change_interval->high, *cell.change_percent);
    EXPECT_THAT(format_tables(comparisons), HasSubstr("95 % interval of the change"));
}

TEST(Interval, of_too_few_trials_says_so) {
    const auto comparisons = compare(test::in_turns({10, 11}, {20, 21}));
    EXPECT_EQ(comparisons.at(0).rows.at(0).cells.at(1).why_no_interval, "2 trials");
}

TEST(TwoValued, samples_are_named_with_both_of_their_values) {
    const auto rows =
        test::in_turns({43, 62, 43.5, 62.5, 43.2, 62.1, 43.1, 62.2}, {43, 43.5, 43.2, 43.1, 43.3, 43, 43.4, 43});
    EXPECT_THAT(
        format_tables(compare(rows)),
        HasSubstr("two-valued, the mean is neither: OS default, cpus all: Triad 43.15 MB/s (4 trials) and 62.15 "
                  "(4 trials), no record says which is which"));
}

/// The control was mostly measured while CPUs of one cache were neighbours, the strategy mostly while they were not.
/// One trial in five was in the other state.
std::vector<TrialRow> rows_of_two_states(int trials = 40) {
    std::vector<TrialRow> rows;
    for (int i = 0; i < trials; ++i) {
        const bool placed = i % 2 == 1;
        const bool near = placed ? i % 10 == 1 : i % 10 != 0;
        TrialRow row =
            test::trial_row(i + 1, placed ? "idlest" : "os", (near ? 43 : 62) + 0.01 * i + (placed ? -1 : 0));
        row.neighbour_before_ns = row.neighbour_after_ns = near ? 40 : 220;
        rows.push_back(row);
    }
    return rows;
}

TEST(LikeWithLike, compares_within_a_state_of_the_machine) {
    const auto comparisons = compare(rows_of_two_states());
    const Cell& cell = comparisons.at(0).rows.at(0).cells.at(1);
    EXPECT_GT(*cell.change_percent, 20) << "the means say that the strategy is much better";
    ASSERT_EQ(cell.state_changes.size(), 2U);
    EXPECT_EQ(cell.state_changes[0].state, MachineState::neighbours);
    EXPECT_LT(*cell.state_changes[0].change_percent, 0) << "in each state it is worse";
    EXPECT_LT(*cell.state_changes[1].change_percent, 0);
    EXPECT_THAT(format_tables(comparisons), HasSubstr("like with like, by whether CPUs of one cache were neighbours"));
}

TEST(LikeWithLike, is_only_said_of_enough_trials_a_side) {
    EXPECT_THAT(format_tables(compare(rows_of_two_states(20))), Not(HasSubstr("like with like")));
}

TEST(LikeWithLike, is_said_of_what_the_workload_measures) {
    auto rows = rows_of_two_states();
    for (TrialRow row : rows_of_two_states()) {
        row.metric = "wall";
        rows.push_back(row);
    }
    EXPECT_THAT(format_tables(compare(rows)), AllOf(HasSubstr("like with like"), Not(HasSubstr("wall neighbours"))));
}

TEST(LikeWithLike, needs_to_know_the_state_of_every_trial) {
    auto rows = rows_of_two_states();
    rows.front().neighbour_after_ns.reset();
    EXPECT_TRUE(compare(rows).at(0).rows.at(0).cells.at(1).state_changes.empty());
}

TEST(Drift, of_columns_that_did_not_run_in_turns_is_no_change) {
    std::vector<TrialRow> rows;
    for (int i = 0; i < 20; ++i)
        rows.push_back(test::trial_row(i + 1, i < 10 ? "os" : "idlest", 100 - i));
    const auto comparisons = compare(rows);
    const Cell& cell = comparisons.at(0).rows.at(0).cells.at(1);
    EXPECT_FALSE(cell.interleaved);
    EXPECT_EQ(cell.verdict, Verdict::drift);
    const std::string table = format_tables(comparisons);
    EXPECT_THAT(table, HasSubstr("%)^"));
    EXPECT_THAT(table, HasSubstr("not run in turns with the baseline: column 2"));
    EXPECT_THAT(table,
                HasSubstr("drift from the first half of the trials to the second: OS default, cpus all: Triad -"));
}

TEST(Outliers, are_counted_in_the_table_and_not_removed) {
    const auto comparisons =
        compare(test::in_turns({100, 101, 100.5, 101.5, 100.2, 40}, {150, 151, 150.5, 152, 151, 150}));
    EXPECT_EQ(comparisons.at(0).rows.at(0).cells.at(0).outliers, 1);
    EXPECT_EQ(comparisons.at(0).rows.at(0).cells.at(0).values.size(), 6U);
    EXPECT_THAT(format_tables(comparisons), HasSubstr("outliers, modified Z-score beyond 3.5: OS default, cpus all: "
                                                      "Triad 1 of 6 trials"));
}

TEST(Baseline, that_is_not_the_os_default_is_named) {
    auto rows = test::in_turns({100, 101, 102, 103}, {150, 151, 152, 153});
    EXPECT_THAT(format_tables(compare(rows)), Not(HasSubstr("no column is the OS default")));
    for (TrialRow& row : rows)
        if (row.policy == "os") row.policy = "llc";
    EXPECT_THAT(format_tables(compare(rows)),
                HasSubstr("no column is the OS default (policy os on all CPUs): the baseline is llc, cpus all"));
}

TEST(Placement, shows_the_range_that_a_median_hides) {
    auto rows = test::in_turns({100, 101, 102, 103}, {150, 151, 152, 153});
    for (TrialRow& row : rows) {
        row.start_counts = "{4}{4}";
        row.most_threads_on_one_cpu = row.trial == 1 ? 2 : 1;
        row.llcs_used = 8;
        row.migrations = 0;
        row.first_cpu_means = "agent";
    }
    const std::string table = format_tables(compare(rows));
    EXPECT_THAT(table, HasSubstr("most threads on one CPU 1 (1..2), LLCs used 8, migrations 0"));
    EXPECT_THAT(table, HasSubstr("most threads on one CPU 1, LLCs used 8"));
}

}  // namespace
}  // namespace pinwise
