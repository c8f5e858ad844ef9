#include "runner/report/plot.hpp"

#include <set>

#include <gmock/gmock.h>

#include "runner/report/svg.hpp"
#include "runner/report/trial_plots.hpp"

namespace pinwise::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(GnuplotText, IsOneLiteralWhateverIsInIt) {
    EXPECT_EQ(gnuplot_text("it's"), "'it''s'");
    EXPECT_EQ(gnuplot_text("a\nsystem('rm')"), "'a\\nsystem(''rm'')'");
    EXPECT_EQ(gnuplot_text("`id` $(id) \"x\" @m"), "'`id` $(id) \"x\" @m'");
}

TEST(FileName, IsPlainWhateverTheTextWas) {
    EXPECT_EQ(file_name_of("../../etc/Pass wd"), "etc-pass-wd");
    EXPECT_EQ(file_name_of("Mop/s"), "mop-s");
    EXPECT_EQ(file_name_of("\xff\n"), "");
}

TEST(StrategyLetter, GoesOnAfterZ) {
    EXPECT_EQ(strategy_letter(0), "A");
    EXPECT_EQ(strategy_letter(25), "Z");
    EXPECT_EQ(strategy_letter(26), "AA");
    EXPECT_EQ(strategy_letter(27), "AB");
    EXPECT_EQ(strategy_letter(26 + 26 * 26), "AAA");
}

TEST(SeriesStyle, IsAnotherForEachOfManyStrategies) {
    std::set<std::pair<std::string_view, int>> styles;
    for (std::size_t i = 0; i < 40; ++i)
        styles.emplace(series_style(i).colour, series_style(i).point_type);
    EXPECT_EQ(styles.size(), 40U);
}

TEST(AxisRange, HoldsItsValuesWithFewNumbersOnIt) {
    for (const auto& [least, largest] :
         {std::pair{0.0, 1.0}, {99.5, 101.5}, {-3.0, 5.0}, {7.0, 7.0}, {0.0, 0.0}, {1e-9, 3e-9}, {0.0, 1e12}}) {
        const AxisRange range = axis_range(least, largest);
        EXPECT_LT(range.low, least) << least;
        EXPECT_GT(range.high, largest) << largest;
        EXPECT_GT(range.step, 0);
        EXPECT_LE((range.high - range.low) / range.step, 5.5) << least << " to " << largest;
    }
}

TEST(Scale, KeepsNumbersShort) {
    EXPECT_EQ(scale_for("MB/s", 123456).unit, "GB/s");
    EXPECT_EQ(scale_for("MB/s", 9999).unit, "MB/s");
    EXPECT_EQ(scale_for("Mop/s", 123456).unit, "thousand Mop/s");
    EXPECT_EQ(scale_for("count", 5e8).divisor, 1e6);
}

/// Two strategies with the given values.
Comparison comparison_of(std::vector<double> first, std::vector<double> second) {
    Comparison comparison;
    comparison.workload = "stream";
    comparison.threads = 8;
    comparison.columns.resize(2);
    comparison.columns[0].cpus = "all";
    comparison.columns[0].policy = "os";
    comparison.columns[1].cpus = "it's\"`id`\nplot";
    comparison.columns[1].policy = "idlest";
    MetricRow row{"Tri'ad\nquit", "MB/s", Better::higher, {}};
    int trial = 0;
    for (auto* const values : {&first, &second}) {
        Cell& cell = row.cells.emplace_back();
        cell.values = *values;
        for (std::size_t i = 0; i < values->size(); ++i) {
            cell.value_trials.push_back(++trial);
            cell.value_positions.push_back(10 - trial);
        }
        cell.why_no_mean = "2 failed";
        if (!values->empty()) cell.mean = values->front();
    }
    comparison.rows = {row};
    return comparison;
}

TEST(DotPlot, HasADotForEveryTrialAndARowForEveryStrategy) {
    const Comparison comparison = comparison_of({1000, 1010, 1020}, {1500, 1510});
    const auto plot = dot_plot(comparison, comparison.rows[0], "x");
    ASSERT_TRUE(plot);
    EXPECT_EQ(plot->file_name, "x-tri-ad-quit-trials");
    EXPECT_THAT(plot->commands, HasSubstr("1020 -0.1100\n1010 0.0500\n1000 0.2100\n")) << "in the order they ran";
    EXPECT_THAT(plot->commands, HasSubstr("1510 0.8900\n1500 1.2100\n"));
    EXPECT_THAT(plot->commands, HasSubstr("'A  OS default, cpus all'"));
}

TEST(DotPlot, NeverHasAUsersTextOnALineOfItsOwn) {
    const Comparison comparison = comparison_of({1000}, {1500});
    const std::string commands = dot_plot(comparison, comparison.rows[0], "x")->commands;
    EXPECT_THAT(commands, Not(HasSubstr("\nquit")));
    EXPECT_THAT(commands, HasSubstr(R"('B  idlest, cpus it''s"`id`\nplot)"));
}

TEST(DotPlot, NamesAStrategyWithoutValues) {
    const Comparison comparison = comparison_of({1000, 1010}, {});
    const auto plot = dot_plot(comparison, comparison.rows[0], "x");
    ASSERT_TRUE(plot);
    EXPECT_THAT(plot->commands, HasSubstr(": 2 failed'"));
    EXPECT_FALSE(dot_plot(comparison_of({}, {}), comparison_of({}, {}).rows[0], "x"));
}

TEST(IterationsPlot, GivesRatesWhereBytesAreKnownAndTimesElsewhere) {
    Comparison comparison = comparison_of({1}, {2});
    comparison.columns[0].trial_numbers = {1, 2};
    std::map<int, WorkloadDetail> details;
    details[1].iterations = {{"Copy", {2, 1}, 1e9}};
    details[2].iterations = {{"Copy", {4, 1, 1}, 1e9}};
    EXPECT_THAT(kernels_of(comparison, details), testing::ElementsAre("Copy"));
    const auto rates = iterations_plot(comparison, details, "Copy", "x");
    ASSERT_TRUE(rates);
    EXPECT_THAT(rates->title, HasSubstr("Bandwidth"));
    EXPECT_THAT(rates->commands, HasSubstr("1 375 250 500\n2 1000 1000 1000\nEOD"))
        << "iterations that all trials have";
    details[2].iterations[0].bytes.reset();
    const auto times = iterations_plot(comparison, details, "Copy", "x");
    ASSERT_TRUE(times);
    EXPECT_THAT(times->title, HasSubstr("Time"));
    EXPECT_THAT(times->commands, HasSubstr("1 3 2 4\n"));
    EXPECT_FALSE(iterations_plot(comparison, details, "Triad", "x"));
}

TEST(LocalSharePlot, IsThereWhenAnyTrialKnowsIt) {
    Comparison comparison = comparison_of({1}, {2});
    comparison.columns[1].trial_numbers = {7};
    std::map<int, WorkloadDetail> details;
    details[7].local_percent = 87.5;
    EXPECT_THAT(local_share_plot(comparison, details, {{7, 3}}, "x")->commands, HasSubstr("3 87.5\n"));
    details[7].local_percent.reset();
    EXPECT_FALSE(local_share_plot(comparison, details, {{7, 3}}, "x"));
}

TEST(LocalCoursePlot, HasALineForEveryTrialThatTells) {
    Comparison comparison = comparison_of({1}, {2});
    comparison.columns[1].trial_numbers = {7, 8, 9};
    std::map<int, WorkloadDetail> details;
    details[7].local_course = {{0, 100}, {1.5, 50}};
    details[8].local_course = {{0, 90}};
    details[9].local_course = {{0, 80}, {2, 70}};
    EXPECT_THAT(local_course_plot(comparison, details, "x")->commands,
                HasSubstr("$course1 << EOD\n0 100\n1.5 50\n\n0 80\n2 70\n\nEOD\n"));
    details = {};
    EXPECT_FALSE(local_course_plot(comparison, details, "x"));
}

}  // namespace
}  // namespace pinwise::report
