/// Every percentage of results/published/ against what was printed.

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>

#include "runner/compare/comparison.hpp"
#include "runner/compare/plain_table.hpp"
#include "runner/record/csv_reader.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

std::string published_text(const std::string& file) {
    std::ifstream stream(PINWISE_SOURCE_DIR "/results/published/" + file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::vector<TrialRow> published_rows(const std::string& folder) {
    const auto table = parse_trials_csv(published_text(folder + "/trials.csv"), folder);
    EXPECT_TRUE(table) << table.error().message;
    return table ? table->rows : std::vector<TrialRow>{};
}

/// The percentages of one metric, all columns but the baseline.
std::vector<std::string> changes(const Comparison& comparison, const std::string& metric, Rounding rounding) {
    std::vector<std::string> texts;
    for (const MetricRow& row : comparison.rows) {
        if (row.metric != metric) continue;
        for (std::size_t i = 1; i < row.cells.size(); ++i)
            texts.push_back(percent(*row.cells[i].change_percent, rounding));
    }
    return texts;
}

using Printed = std::map<std::string, std::vector<std::string>>;

void expect_stream(const std::string& folder, const Printed& as_printed, const Printed& rounded) {
    const auto comparisons = compare(published_rows(folder));
    ASSERT_EQ(comparisons.size(), 1U);
    for (const auto& [metric, texts] : as_printed)
        EXPECT_THAT(changes(comparisons[0], metric, Rounding::truncate), ElementsAreArray(texts)) << metric;
    for (const auto& [metric, texts] : rounded)
        EXPECT_THAT(changes(comparisons[0], metric, Rounding::nearest), ElementsAreArray(texts)) << metric;
}

TEST(Published, stream_on_zen3_as_cut_off_in_the_mail_and_as_rounded) {
    expect_stream("2022-stream8-zen3",
                  {{"Copy", {"-1.80", "60.26", "8.61"}},
                   {"Scale", {"-14.74", "39.00", "-0.87"}},
                   {"Add", {"-16.34", "47.56", "-0.83"}},
                   {"Triad", {"-14.81", "47.90", "-1.02"}}},
                  {{"Copy", {"-1.81", "60.27", "8.61"}},
                   {"Scale", {"-14.74", "39.00", "-0.87"}},
                   {"Add", {"-16.34", "47.56", "-0.84"}},
                   {"Triad", {"-14.81", "47.91", "-1.02"}}});
}

TEST(Published, stream_on_skylake_as_cut_off_in_the_mail) {
    expect_stream("2022-stream16-skylake",
                  {{"Copy", {"11.40", "16.58"}},
                   {"Scale", {"23.61", "34.25"}},
                   {"Add", {"23.37", "35.42"}},
                   {"Triad", {"20.98", "35.84"}}},
                  {});
}

TEST(Published, the_lines_of_2022_come_out_as_they_were_mailed) {
    const auto comparisons = compare(published_rows("2022-stream8-zen3"));
    EXPECT_THAT(format_pct(comparisons, {.rounding = Rounding::truncate}),
                HasSubstr("\nTriad: 124896.78 (0.00 pct) 106394.38 (-14.81 pct) 184733.48 (47.90 pct)"));
}

TEST(Published, npb_of_2018_time_and_system_time) {
    const std::map<std::string, std::pair<std::string, std::string>> printed{
        {"npb-bt", {"5.21", "1.15"}},  {"npb-cg", {"-5.21", "-5.22"}}, {"npb-ep", {"0.60", "62.42"}},
        {"npb-is", {"1.77", "38.95"}}, {"npb-lu", {"0.68", "22.72"}},  {"npb-mg", {"4.00", "26.52"}},
        {"npb-sp", {"11.40", "8.37"}}, {"npb-ua", {"3.52", "12.40"}}};
    const auto comparisons = compare(published_rows("2018-npb-stagger"));
    EXPECT_EQ(comparisons.size(), printed.size());
    for (const Comparison& comparison : comparisons) {
        const auto& [time, system_time] = printed.at(comparison.workload);
        EXPECT_THAT(changes(comparison, "Time", Rounding::nearest), ElementsAre(time)) << comparison.workload;
        EXPECT_THAT(changes(comparison, "sys", Rounding::nearest), ElementsAre(system_time)) << comparison.workload;
    }
}

TEST(Published, the_lines_of_2018_come_out_as_they_were_mailed) {
    const std::string table = format_plain(compare(published_rows("2018-npb-stagger")), {});
    for (const char* const line : {"\nTime bt.D      442.77 (   0.00%)      419.70 (   5.21%)\n",
                                   "\nTime cg.D      171.90 (   0.00%)      180.85 (  -5.21%)\n",
                                   "\nTime sp.D     1020.03 (   0.00%)      903.77 (  11.40%)\n"})
        EXPECT_THAT(table, HasSubstr(line));
    EXPECT_THAT(table, testing::ContainsRegex("\nsys-time-ep.D +1.65 \\( +0.00%\\) +0.62 \\( +62.42%\\)\n"));
}

TEST(Published, the_counters_of_2018_add_up) {
    const auto comparisons = compare(published_rows("2018-npb-stagger-counters"));
    ASSERT_EQ(comparisons.size(), 1U);
    const auto value = [&](const std::string& metric, std::size_t column) -> double {
        for (const MetricRow& row : comparisons[0].rows)
            if (row.metric == metric) return row.cells.at(column).values.at(0);
        ADD_FAILURE() << metric;
        return 0;
    };
    for (const std::size_t column : {0U, 1U}) {
        EXPECT_EQ(value("NUMA page range updates", column),
                  value("NUMA base PTE updates", column) + 512 * value("NUMA huge PMD updates", column));
        EXPECT_EQ(value("NUMA hint local percent", column),
                  std::floor(100 * value("NUMA hint local faults", column) / value("NUMA hint faults", column)));
    }
}

TEST(Published, the_tables_of_2003_have_stock_as_their_baseline) {
    const auto schedbench = compare(published_rows("2003-schedbench"));
    ASSERT_EQ(schedbench.size(), 5U) << "4, 8, 16, 32 and 64 jobs";
    EXPECT_EQ(schedbench[4].columns[0].variant, "stock");
    EXPECT_THAT(changes(schedbench[4], "AverageUserTime", Rounding::nearest), ElementsAre("53.09", "51.55", "53.68"));
    const auto kernbench = compare(published_rows("2003-kernbench"));
    ASSERT_EQ(kernbench.size(), 1U);
    EXPECT_THAT(changes(kernbench[0], "Elapsed", Rounding::nearest), ElementsAre("0.84", "1.68", "5.53"));
}

TEST(Published, the_job_table_of_2003_gives_its_own_footer) {
    const auto jobs = parse_csv(published_text("2003-schedbench/jobs-32.csv"), "jobs.csv");
    ASSERT_TRUE(jobs.has_value()) << jobs.error().message;
    ASSERT_EQ(jobs->records.size(), 32U);
    double seconds = 0;
    std::vector<int> moved;
    for (const CsvRecord& job : jobs->records) {
        seconds += std::stod(job.cells.at(*jobs->column("user_s")));
        if (job.cells.at(*jobs->column("initial_node")) != job.cells.at(*jobs->column("main_node")))
            moved.push_back(std::stoi(job.cells[0]));
    }
    EXPECT_NEAR(seconds / 32, 56.38, 0.005);
    EXPECT_THAT(moved, ElementsAre(9, 14, 16, 19, 23, 29));
}

}  // namespace
}  // namespace pinwise
