#include "runner/compare/comparison.hpp"

#include <array>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "runner/compare/table.hpp"
#include "runner/trial/mock_executor.hpp"
#include "runner/trial/run_trials.hpp"
#include "tests/unit/runner/experiments.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string percent(double baseline, double value, Better better) {
    return fmt::format("{:.2f}", *change_percent(baseline, value, better));
}

struct Published {
    double baseline;
    double value;
    const char* change;
};

// STREAM on 2-socket Zen3, 2022; the mail truncates (-1.80, 60.26, 47.90), rounding gives these.
TEST(ChangePercent, ReproducesThePublishedRates) {
    constexpr std::array<Published, 12> table{{
        {97699.28, 95933.60, "-1.81"},
        {97699.28, 156578.91, "60.27"},
        {97699.28, 106114.59, "8.61"},
        {107754.15, 91869.88, "-14.74"},
        {107754.15, 149783.25, "39.00"},
        {107754.15, 106814.48, "-0.87"},
        {126383.29, 105730.86, "-16.34"},
        {126383.29, 186493.09, "47.56"},
        {126383.29, 125323.78, "-0.84"},
        {124896.78, 106394.38, "-14.81"},
        {124896.78, 184733.48, "47.91"},
        {124896.78, 123622.62, "-1.02"},
    }};
    for (const Published& row : table)
        EXPECT_EQ(percent(row.baseline, row.value, Better::higher), row.change) << row.value;
}

// NPB times of 2018: a shorter time is a positive change.
TEST(ChangePercent, ReproducesThePublishedTimes) {
    constexpr std::array<Published, 8> table{{{442.77, 419.70, "5.21"},
                                              {171.90, 180.85, "-5.21"},
                                              {33.10, 32.90, "0.60"},
                                              {9.59, 9.42, "1.77"},
                                              {306.75, 304.65, "0.68"},
                                              {54.56, 52.38, "4.00"},
                                              {1020.03, 903.77, "11.40"},
                                              {400.58, 386.49, "3.52"}}};
    for (const Published& row : table)
        EXPECT_EQ(percent(row.baseline, row.value, Better::lower), row.change) << row.value;
}

TEST(ChangePercent, HasNoAnswerForABaselineOfZero) {
    EXPECT_FALSE(change_percent(0, 5, Better::lower));
}

/// Runs four_strategies through the mock; the answer decides everything.
std::vector<TrialRow> mock_rows(const std::function<TrialResult(const TrialSpec&)>& answer,
                                const std::string& toml = test::four_strategies) {
    MockExecutor executor(answer);
    std::string csv = trials_header();
    const auto record = [&](const TrialSpec& spec, const TrialResult& result) -> Result<void> {
        csv += format_trial_rows(trial_rows(spec, result));
        return {};
    };
    const auto ordered = interleaved_order(test::trials(toml, test::load(test::zen3_nps1)), 11);
    EXPECT_TRUE(run_trials(ordered, executor, {.before = {}, .record = record}));
    auto table = parse_trials_csv(csv, "trials.csv");
    EXPECT_TRUE(table) << table.error().message;
    return table ? table->rows : std::vector<TrialRow>{};
}

/// Bandwidth by strategy, a little different in every repetition.
TrialResult ideal(const TrialSpec& spec) {
    double mb_per_s = 100000;
    if (spec.strategy.cpus != "all") mb_per_s = spec.strategy.policy == "os" ? 90000 : 150000;
    TrialResult result;
    result.metrics = {{"Copy", "MB/s", mb_per_s + spec.repetition, Better::higher}};
    result.wall_s = 1e6 / mb_per_s;
    result.user_s = 0;
    result.sys_s = 0.5;
    const bool piled = spec.strategy.policy == "os" && spec.strategy.cpus != "all";
    result.start = {piled ? "{8}{0}" : "{4}{4}",
                    piled ? 5 : 1,
                    piled ? 4 : 8,
                    piled ? FirstCpuMeans::tracepoint : FirstCpuMeans::agent,
                    piled ? 63 : 0,
                    true,
                    ""};
    return result;
}

TEST(Compare, HasOneColumnPerStrategyWithTheControlFirst) {
    const auto comparisons = compare(mock_rows(ideal));
    ASSERT_EQ(comparisons.size(), 1U);
    const Comparison& comparison = comparisons[0];
    EXPECT_EQ(comparison.threads, 8);
    ASSERT_EQ(comparison.columns.size(), 4U);
    EXPECT_EQ(comparison.columns[0].policy, "os");
    EXPECT_EQ(comparison.columns[0].cpus, "all");
    EXPECT_EQ(comparison.columns[1].start_counts, "{8}{0}");
    EXPECT_EQ(comparison.columns[1].most_threads_on_one_cpu, 5);
    EXPECT_EQ(comparison.columns[1].migrations, 63);
    EXPECT_EQ(comparison.columns[1].first_cpu_means, "tracepoint");
    ASSERT_EQ(comparison.rows.size(), 4U);
    const MetricRow& copy = comparison.rows[0];
    EXPECT_EQ(copy.cells[0].values.size(), 5U);
    EXPECT_NEAR(*copy.cells[0].mean, 100003, 0.01);
    EXPECT_EQ(copy.cells[0].verdict, Verdict::none);
    EXPECT_NEAR(*copy.cells[1].change_percent, -10, 0.01);
    EXPECT_NEAR(*copy.cells[2].change_percent, 50, 0.01);
    EXPECT_EQ(copy.cells[2].verdict, Verdict::differs);
    EXPECT_GT(*comparison.rows[1].cells[2].change_percent, 0) << "less wall time is better";
    EXPECT_EQ(comparison.rows[2].metric, "user");
    EXPECT_EQ(comparison.rows[2].cells[1].why_no_change, "baseline 0");
    EXPECT_EQ(comparison.rows[3].cells[1].verdict, Verdict::noise) << "equal times cannot be told apart";
}

TEST(Compare, FailedTrialsAreCountedAndNotAveraged) {
    const auto comparisons = compare(mock_rows([](const TrialSpec& spec) {
        const bool fails = spec.strategy.policy == "idlest" && (spec.strategy.bind == "cpu" || spec.repetition == 2);
        if (!fails) return ideal(spec);
        TrialResult result = failed_trial("timeout(60 s)");
        result.wall_s = 60;
        return result;
    }));
    const Comparison& comparison = comparisons.at(0);
    EXPECT_EQ(comparison.columns[2].failed, 1);
    EXPECT_THAT(comparison.columns[2].trial_numbers, testing::ElementsAre(3, 7, 11, 15, 19));
    EXPECT_EQ(comparison.rows[0].cells[2].values.size(), 4U);
    EXPECT_THAT(comparison.rows[0].cells[2].value_trials, testing::ElementsAre(3, 11, 15, 19))
        << "all but repetition 2";
    EXPECT_EQ(comparison.rows[0].cells[3].why_no_mean, "5 failed");
    EXPECT_EQ(comparison.rows[1].cells[3].why_no_mean, "5 failed") << "60 s until a timeout is no result";
    EXPECT_THAT(comparison.columns[3].failures, testing::ElementsAre("timeout(60 s) (5 trials)"));
    const std::string table = format_tables(comparisons);
    EXPECT_THAT(table, HasSubstr("(5 failed)"));
    EXPECT_THAT(table, HasSubstr("failed: idlest, cpus one-per-thread, bind cpu: timeout(60 s) (5 trials)"));
    EXPECT_THAT(table, Not(HasSubstr("nan")));
}

TEST(Compare, AFailedBaselineLeavesNoChange) {
    const auto comparisons = compare(mock_rows(
        [](const TrialSpec& spec) { return spec.strategy.cpus == "all" ? failed_trial("exit 3") : ideal(spec); }));
    const std::string table = format_tables(comparisons);
    EXPECT_EQ(comparisons.at(0).rows[0].metric, "Copy") << "the failed trials come first but know no metric";
    EXPECT_THAT(table, HasSubstr("(no baseline)"));
}

TEST(Compare, OneTrialHasNoVariationAndNoVerdict) {
    std::string toml = test::four_strategies;
    toml.replace(toml.find("repetitions = 5"), 15, "repetitions = 1");
    const auto comparisons = compare(mock_rows(ideal, toml));
    EXPECT_EQ(comparisons.at(0).rows[0].cells[1].verdict, Verdict::too_few);
    const std::string table = format_tables(comparisons);
    EXPECT_THAT(table, HasSubstr("(1 trial)"));
    EXPECT_THAT(table, HasSubstr("? fewer than 4 finished trials"));
    EXPECT_THAT(table, HasSubstr("( -10.00%)?"));
}

TEST(Compare, EveryThreadCountIsATableOfItsOwn) {
    const auto comparisons = compare(mock_rows(ideal,
                                               "repetitions = 2\n[[workload]]\nname = \"stream\"\nthreads = [2, "
                                               "4]\n[[matrix]]\npolicy = [\"os\", \"idlest\"]\n"));
    ASSERT_EQ(comparisons.size(), 2U);
    EXPECT_EQ(comparisons[0].threads, 2);
    EXPECT_EQ(comparisons[1].columns.size(), 2U);
}

TEST(Table, SaysWhenTwoColumnsAreTheSameStrategyHere) {
    auto rows = mock_rows(ideal);
    EXPECT_THAT(format_tables(compare(rows)), Not(HasSubstr("the same strategy")));
    for (TrialRow& row : rows)
        row.mask = "0-7";
    EXPECT_THAT(format_tables(compare(rows)), HasSubstr("columns 1 and 2 are the same strategy here (CPUs 0-7)"));
}

TEST(Compare, TrialsUnderAnotherMigrationOrBalanceAreAnotherStrategy) {
    std::vector<TrialRow> rows(3);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].trial = static_cast<int>(i) + 1;
        rows[i].cpus = "all";
        rows[i].policy = "os";
        rows[i].metric = "wall";
        rows[i].status = "ok";
        rows[i].value = 1;
    }
    rows[1].migration = "kernel";
    rows[2].balance = "node-affine";
    const auto comparisons = compare(rows);
    ASSERT_EQ(comparisons.size(), 1U);
    ASSERT_EQ(comparisons[0].columns.size(), 3U);
    const std::string table = format_tables(comparisons);
    EXPECT_THAT(table, testing::AllOf(HasSubstr("OS default"), HasSubstr("migration kernel      balance node-affine\n"),
                                      Not(HasSubstr("same strategy"))));
}

TEST(Table, NamesLabelsOfAllTrialsOnceAndOthersWithTheirNumber) {
    std::vector<TrialRow> rows(4);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].trial = static_cast<int>(i) + 1;
        rows[i].cpus = "all";
        rows[i].policy = i < 2 ? "os" : "idlest";
        rows[i].bind = "cpu";
        rows[i].metric = "wall";
        rows[i].status = "ok";
        rows[i].value = 1;
        rows[i].labels = i == 3 ? "one-node busy" : "one-node";
    }
    const auto comparisons = compare(rows);
    EXPECT_THAT(format_tables(comparisons),
                testing::AllOf(HasSubstr("  labels of all trials: one-node\n"),
                               HasSubstr("  labels: idlest, cpus all, bind cpu: busy (1 of 2 trials)\n"),
                               HasSubstr("\none-node: one NUMA node"), HasSubstr("\nbusy: other programs"),
                               Not(HasSubstr("emulated-machine"))));
}

TEST(Compare, NoRowsAreNoTable) {
    EXPECT_TRUE(compare({}).empty());
    EXPECT_EQ(format_tables({}), "");
}

TEST(Table, LabelsEveryTableOfAnEmulatedMachine) {
    const auto comparisons = compare(mock_rows(ideal));
    const auto label = HasSubstr("EMULATED MACHINE: times and rates are no measurement");
    EXPECT_THAT(format_tables(comparisons, {.machine_kind = "emulated"}), label);
    EXPECT_THAT(format_tables(comparisons, {.machine_kind = "virtual"}), Not(label));
    EXPECT_THAT(format_tables(comparisons), Not(label));
}

const std::string two_kernels = R"(
repetitions = 4
noise_floor = false
[[workload]]
name = "npb-ep"
threads = 2
class = ["S", "D"]
[[workload]]
name = "npb-cg"
threads = 2
class = "D"
[[matrix]]
policy = ["os", "idlest"]
)";

/// Times and system times of 2018: vanilla under os, staggered under the other.
TrialResult ideal_kernel(const TrialSpec& spec) {
    const bool is_baseline = spec.strategy.policy == "os";
    const bool is_ep = spec.workload == "npb-ep";
    TrialResult result = ideal(spec);
    const double ep_s = is_baseline ? 33.10 : 32.90;
    const double cg_s = is_baseline ? 171.90 : 180.85;
    result.metrics = {{"Mop/s", "Mop/s", 1000, Better::higher}, {"Time", "s", is_ep ? ep_s : cg_s, Better::lower}};
    const double ep_sys_s = is_baseline ? 1.65 : 0.62;
    const double cg_sys_s = is_baseline ? 25.31 : 26.63;
    result.sys_s = is_ep ? ep_sys_s : cg_sys_s;
    return result;
}

TEST(KernelTable, has_a_time_and_a_sys_time_row_for_each_kernel_and_class_as_the_table_of_2018) {
    const std::string table = format_tables(compare(mock_rows(ideal_kernel, two_kernels)));
    const std::size_t begin = table.find("\nNPB, 2 threads, touch=parallel thp=on\n");
    ASSERT_NE(begin, std::string::npos) << table;
    const std::string kernels = table.substr(begin);
    EXPECT_THAT(kernels, testing::ContainsRegex("\nTime ep.S s +33.100 +32.900 \\( +0.60%\\)"));
    EXPECT_THAT(kernels, testing::ContainsRegex("\nTime ep.D s +33.100 +32.900 \\( +0.60%\\)"));
    EXPECT_THAT(kernels, testing::ContainsRegex("\nTime cg.D s +171.900 +180.850 \\( +-5.21%\\)"));
    EXPECT_THAT(kernels, testing::ContainsRegex("\nsys-time-ep.D s +1.650 +0.620 \\( +62.42%\\)"));
    EXPECT_THAT(kernels, testing::ContainsRegex("\nsys-time-cg.D s +25.310 +26.630 \\( +-5.22%\\)"));
}

TEST(KernelTable, shows_a_kernel_without_a_finished_trial_as_failed) {
    const auto rows = mock_rows(
        [](const TrialSpec& spec) {
            return spec.workload == "npb-cg" ? failed_trial("exit 2: it needs 9 GiB") : ideal_kernel(spec);
        },
        two_kernels);
    EXPECT_THAT(format_tables(compare(rows)), testing::ContainsRegex("\nTime cg.D s +- \\(4 failed\\)"));
}

TEST(KernelTable, keeps_kernels_of_other_parameters_and_other_workloads_apart) {
    EXPECT_THAT(format_tables(compare(mock_rows(ideal))), Not(HasSubstr("NPB")));
    std::string toml = two_kernels;
    toml.replace(toml.find("class = \"D\""), 11, "class = \"D\"\ntouch = \"master\"");
    const std::string table = format_tables(compare(mock_rows(ideal_kernel, toml)));
    EXPECT_THAT(table, HasSubstr("\nNPB, 2 threads, touch=parallel thp=on\n"));
    EXPECT_THAT(table, HasSubstr("\nNPB, 2 threads, touch=master thp=on\n"));
}

TEST(Table, ShowsValuesChangesPlacementAndLegend) {
    const std::string expected =
        R"(stream, 8 threads, size=auto llc_bytes=512000000 ntimes=10 stores=auto touch=parallel thp=on

)";
    const std::string table = format_tables(compare(mock_rows(ideal)));
    EXPECT_THAT(table, testing::StartsWith(expected));
    EXPECT_THAT(table, HasSubstr("Hmean Copy      MB/s"));
    EXPECT_THAT(table, HasSubstr("150003.00 (  50.00%)"));
    EXPECT_THAT(table, HasSubstr("90003.00 ( -10.00%)"));
    EXPECT_THAT(
        table,
        HasSubstr("nodes {8}{0}, most threads on one CPU 5, LLCs used 4, migrations 63, first CPU from tracepoint"));
    EXPECT_THAT(table, HasSubstr("\nCoeffVar  min..max\n"));
    EXPECT_THAT(table, HasSubstr("0.00%  150001..150005"));
    EXPECT_THAT(table, HasSubstr("positive is better"));
    for (std::size_t begin = 0; begin < table.size(); begin = table.find('\n', begin) + 1)
        EXPECT_NE(table[table.find('\n', begin) - 1], ' ') << "no blanks at line ends";
}

}  // namespace
}  // namespace pinwise
