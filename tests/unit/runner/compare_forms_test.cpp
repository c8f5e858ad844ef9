/// Several files, groupings, baselines, and every form a comparison is written in.

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "runner/compare/machine_formats.hpp"
#include "runner/compare/markdown_table.hpp"
#include "runner/compare/mmtests_table.hpp"
#include "runner/compare/plain_table.hpp"
#include "runner/compare/row_filter.hpp"
#include "runner/compare/table.hpp"
#include "runner/record/csv_reader.hpp"
#include "tests/unit/runner/compared_rows.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// The same experiment twice: "new" is a tenth faster everywhere.
Result<std::vector<Comparison>> compare_files(const ComparisonOptions& options) {
    const std::vector<std::string> files{"old", "new"};
    Collector collector(options.grouping, files);
    for (int file = 0; file < 2; ++file) {
        for (TrialRow row : test::in_turns({100, 101, 102, 103}, {150, 151, 152, 153})) {
            row.value = *row.value * (file == 0 ? 1 : 1.1);
            collector.add(row, file);
        }
    }
    return compare(collector.finish(), files, options);
}

std::vector<std::string> titles(const Comparison& comparison) {
    std::vector<std::string> names;
    for (const StrategyColumn& column : comparison.columns)
        names.push_back(name_of(column));
    return names;
}

TEST(Grouping, files_as_columns_have_a_table_per_strategy) {
    const auto comparisons = compare_files({.grouping = columns_are_files()});
    ASSERT_TRUE(comparisons.has_value());
    ASSERT_EQ(comparisons->size(), 2U);
    EXPECT_EQ(title_of(comparisons->at(1)), "stream, 8 threads, size=auto, idlest, cpus all, bind cpu");
    EXPECT_THAT(titles(comparisons->at(0)), ElementsAre("old", "new"));
    const Cell& cell = comparisons->at(0).rows.at(0).cells.at(1);
    EXPECT_NEAR(*cell.change_percent, 10, 1e-9);
    EXPECT_FALSE(cell.interleaved);
}

TEST(Grouping, strategies_as_columns_put_files_together) {
    const auto comparisons = compare_files({});
    ASSERT_TRUE(comparisons.has_value());
    ASSERT_EQ(comparisons->size(), 1U);
    EXPECT_THAT(titles(comparisons->at(0)), ElementsAre("OS default, cpus all", "idlest, cpus all, bind cpu"));
    EXPECT_EQ(comparisons->at(0).rows.at(0).cells.at(0).values.size(), 8U);
}

TEST(Grouping, by_any_keys_makes_columns_of_the_rest) {
    const auto comparisons = compare_files({.grouping = *tables_by("workload")});
    ASSERT_TRUE(comparisons.has_value());
    EXPECT_THAT(titles(comparisons->at(0)),
                ElementsAre("old, OS default, cpus all, parameters size=auto, threads 8",
                            "old, idlest, cpus all, bind cpu, parameters size=auto, threads 8",
                            "new, OS default, cpus all, parameters size=auto, threads 8",
                            "new, idlest, cpus all, bind cpu, parameters size=auto, threads 8"));
    const auto unknown = tables_by("workload,treads");
    ASSERT_FALSE(unknown.has_value());
    EXPECT_THAT(unknown.error().message, HasSubstr("unknown key \"treads\"; known: file, workload"));
}

TEST(BaselineOption, puts_the_named_column_first) {
    const auto by_file = compare_files({.grouping = columns_are_files(), .baseline = "new"});
    ASSERT_TRUE(by_file.has_value());
    EXPECT_THAT(titles(by_file->at(0)), ElementsAre("new", "old"));
    EXPECT_NEAR(*by_file->at(0).rows.at(0).cells.at(1).change_percent, 100 * (1 / 1.1 - 1), 1e-9);
    const auto by_policy = compare_files({.baseline = "idlest"});
    ASSERT_TRUE(by_policy.has_value());
    EXPECT_EQ(by_policy->at(0).columns[0].policy, "idlest");
    const auto by_part = compare_files({.baseline = "bind cpu"});
    ASSERT_TRUE(by_part.has_value());
    EXPECT_EQ(by_part->at(0).columns[0].policy, "idlest");
}

TEST(BaselineOption, that_names_no_column_or_several_is_a_mistake_that_lists_them) {
    const auto none = compare_files({.baseline = "llc"});
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().message,
              "--baseline llc: no column of stream with 8 threads is called so; its columns are \"OS default, cpus "
              "all\", \"idlest, cpus all, bind cpu\"");
    const auto several = compare_files({.baseline = "cpus all"});
    ASSERT_FALSE(several.has_value());
    EXPECT_THAT(several.error().message, HasSubstr("more than one column"));
}

TEST(MetricOption, chooses_rows_by_pattern) {
    EXPECT_TRUE(compare_files({.metrics = {"T*"}}).has_value());
    const auto none = compare_files({.metrics = {"Copy"}});
    ASSERT_FALSE(none.has_value());
    EXPECT_EQ(none.error().message, "--metric Copy: no such metric; there are Triad");
}

TEST(Filter, keeps_matching_rows_and_says_what_there_is) {
    RowFilter filter;
    filter.want(GroupKey::policy, {"idl*"});
    filter.want(GroupKey::threads, {"8", "16"});
    EXPECT_TRUE(filter.passes(test::trial_row(1, "idlest", 1), ""));
    EXPECT_FALSE(filter.passes(test::trial_row(2, "os", 1), ""));
    const auto checked = filter.check();
    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().message, "--threads 16: no trial matches; there are 8");
}

TEST(Metrics, of_one_name_in_two_units_are_not_mixed) {
    auto rows = test::in_turns({100, 101, 102, 103}, {0.1, 0.2, 0.3, 0.4});
    for (TrialRow& row : rows)
        if (row.policy == "idlest") row.unit = "GB/s";
    const auto comparisons = compare(rows);
    ASSERT_EQ(comparisons.at(0).rows.size(), 2U);
    EXPECT_EQ(comparisons[0].rows[0].cells[1].why_no_change, "no trial");
}

// Worked by hand for 1, 2 and 4: h = 3 / (1 + 1/2 + 1/4) = 12/7; sum (h/x - 1)^2 = (5/7)^2 + (1/7)^2 + (4/7)^2 = 42/49.
TEST(MmtestsSummary, of_rates_is_about_the_harmonic_mean) {
    const std::vector<double> values{2, 4, 1};
    const MmtestsSummary summary = mmtests_summary(values, Better::higher);
    EXPECT_DOUBLE_EQ(*summary.mean, 12.0 / 7);
    EXPECT_NEAR(*summary.standard_deviation, 12.0 / 7 * std::sqrt(42.0 / 49 / 3), 1e-12);
    EXPECT_NEAR(*summary.coefficient_of_variation, 100 * std::sqrt(42.0 / 49 / 3), 1e-9);
    EXPECT_DOUBLE_EQ(*summary.best_95_mean, 2 / (1.0 / 4 + 1.0 / 2)) << "the best two of three";
    EXPECT_DOUBLE_EQ(*summary.min, 1);
    EXPECT_DOUBLE_EQ(*summary.max, 4);
}

TEST(MmtestsSummary, of_times_is_about_the_arithmetic_mean) {
    const MmtestsSummary summary = mmtests_summary(std::vector<double>{1, 2, 6}, Better::lower);
    EXPECT_DOUBLE_EQ(*summary.mean, 3);
    EXPECT_DOUBLE_EQ(*summary.standard_deviation, std::sqrt(7.0));
    EXPECT_DOUBLE_EQ(*summary.best_95_mean, 1.5);
    const MmtestsSummary one = mmtests_summary(std::vector<double>{5}, Better::lower);
    EXPECT_FALSE(one.standard_deviation);
    EXPECT_DOUBLE_EQ(*one.best_95_mean, 5);
}

TEST(MmtestsTable, has_that_tools_rows_in_its_order_and_stars_where_means_differ) {
    const std::string table = format_mmtests(compare(test::in_turns({100, 101, 102, 103}, {150, 151, 152, 153})), {});
    std::size_t at = 0;
    for (const char* const name : {"\nMin       Triad", "\nHmean     Triad", "\nHStddev   Triad", "\nHCoeffVar Triad",
                                   "\nMax       Triad", "\nBHmean-95 Triad"}) {
        const std::size_t found = table.find(name, at);
        ASSERT_NE(found, std::string::npos) << name << table;
        at = found;
    }
    EXPECT_THAT(table, HasSubstr("\nMin       Triad      100.00 (   0.00%)      150.00 (  50.00%)\n"));
    EXPECT_THAT(table,
                testing::ContainsRegex("\nHmean     Triad      101.49 \\(   0.00%\\)      151.49 \\*  49.27%\\*\n"));
    EXPECT_THAT(table, testing::ContainsRegex("\nHStddev   Triad .* \\( +-?[0-9.]+%\\)\n"));
}

TEST(MmtestsTable, says_why_a_statistic_is_not_there) {
    const std::string table = format_mmtests(compare(test::in_turns({100}, {150})), {});
    EXPECT_THAT(table, testing::ContainsRegex("HStddev   Triad +- \\(1 trial\\)"));
    EXPECT_THAT(table, Not(HasSubstr("nan")));
}

TEST(PlainTable, has_means_and_percentages_only) {
    const std::string table = format_plain(compare(test::in_turns({100, 100}, {150, 150})), {});
    EXPECT_THAT(table, HasSubstr("\nTriad          100.00 (   0.00%)      150.00 (  50.00%)\n"));
    EXPECT_THAT(table, Not(HasSubstr("min")));
}

TEST(Markdown, is_a_table_in_which_names_are_not_markup) {
    auto rows = test::in_turns({100, 101, 102, 103}, {150, 151, 152, 153});
    for (TrialRow& row : rows)
        row.metric = "a|b*";
    const std::string text = format_markdown(compare(rows), {});
    EXPECT_THAT(text, HasSubstr("### stream, 8 threads, size=auto\n"));
    EXPECT_THAT(text,
                HasSubstr("| metric | OS default<br>cpus all | idlest<br>cpus all<br>bind cpu |\n|---|--:|--:|\n"));
    EXPECT_THAT(text, HasSubstr("| a\\|b\\* [MB/s] | 101.49 | 151.49 (**49.27 %**)<br>"));
}

TEST(Csv, has_a_record_per_cell_with_the_reason_of_what_is_missing) {
    const auto document = parse_csv(format_csv(compare(test::in_turns({100, 101, 102, 103}, {150}))), "c.csv");
    ASSERT_TRUE(document.has_value()) << document.error().message;
    ASSERT_EQ(document->records.size(), 2U);
    const auto cell = [&](std::size_t record, std::string_view name) {
        return document->records[record].cells.at(document->column(name).value());
    };
    EXPECT_EQ(cell(0, "role"), "baseline");
    EXPECT_EQ(cell(0, "change_percent"), "");
    EXPECT_EQ(cell(1, "policy"), "idlest");
    EXPECT_EQ(cell(1, "n"), "1");
    EXPECT_EQ(cell(1, "verdict"), "too-few");
    EXPECT_EQ(cell(1, "change_low_percent"), "");
    EXPECT_EQ(cell(1, "reason"), "variation: 1 trial; interval: 1 trial");
}

TEST(JsonForm, has_values_and_null_where_there_is_none) {
    const std::string text = format_json(compare(test::in_turns({100, 101, 102, 103}, {150})), {});
    const auto document = nlohmann::json::parse(text);
    const auto& row = document["comparisons"][0]["rows"][0];
    EXPECT_EQ(row["metric"], "Triad");
    EXPECT_TRUE(row["noise_floor_percent"].is_null());
    EXPECT_EQ(row["cells"][1]["values"], nlohmann::json::array({150.0}));
    EXPECT_TRUE(row["cells"][1]["change_interval_percent"].is_null());
    EXPECT_EQ(row["cells"][1]["verdict"], "too-few");
}

TEST(Colour, paints_what_is_told_from_noise_and_keeps_the_columns) {
    const auto comparisons = compare(test::in_turns({100, 101, 102, 103}, {150, 151, 152, 153}));
    const std::string plain = format_tables(comparisons);
    std::string coloured = format_tables(comparisons, {.colour = true});
    EXPECT_THAT(coloured, HasSubstr("\x1b[32m"));
    for (const std::string code : {"\x1b[32m", "\x1b[0m"})
        for (std::size_t at = coloured.find(code); at != std::string::npos; at = coloured.find(code))
            coloured.erase(at, code.size());
    for (std::size_t at = coloured.find(" \n"); at != std::string::npos; at = coloured.find(" \n"))
        coloured.erase(at, 1);
    EXPECT_EQ(coloured, plain);
}

TEST(Truncation, cuts_percentages_off_and_survives_binary_fractions) {
    EXPECT_EQ(percent(60.266, Rounding::truncate), "60.26");
    EXPECT_EQ(percent(-1.8072, Rounding::truncate), "-1.80");
    EXPECT_EQ(percent(8.6099999999999994, Rounding::truncate), "8.61");
    EXPECT_EQ(percent(-0.001, Rounding::truncate), "0.00");
    EXPECT_EQ(percent(-1.8072, Rounding::nearest), "-1.81");
}

}  // namespace
}  // namespace pinwise
