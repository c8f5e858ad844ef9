// The four-column tables of Schedbench, fed with what was published in 2003.

#include "runner/compare/schedbench_table.hpp"

#include <array>

#include <gmock/gmock.h>

#include "runner/compare/table.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;
using testing::Not;

struct PublishedRow {
    int jobs;
    const char* kernel;
    std::array<double, 4> times_s;
};

constexpr std::array<const char*, 4> metrics{"AverageUserTime", "ElapsedTime", "TotalUserTime", "TotalSysTime"};

/// Kernel 2.5.55 on a machine of four nodes with 16 CPUs; each kernel of then stands as a policy here.
constexpr std::array<PublishedRow, 20> published{{
    {4, "rebal+4+fix+04", {27.34, 40.49, 109.39, 0.88}},     {4, "rebal+4+fix", {24.73, 38.50, 98.94, 0.84}},
    {4, "mini+rebal", {25.18, 43.23, 100.76, 0.68}},         {4, "stock", {31.38, 41.55, 125.54, 1.24}},
    {8, "rebal+4+fix+04", {30.05, 44.15, 240.48, 2.50}},     {8, "rebal+4+fix", {34.33, 46.40, 274.73, 2.31}},
    {8, "mini+rebal", {32.99, 52.42, 264.00, 2.08}},         {8, "stock", {44.63, 61.28, 357.11, 2.22}},
    {16, "rebal+4+fix+04", {52.13, 57.68, 834.23, 3.55}},    {16, "rebal+4+fix", {52.72, 65.16, 843.70, 4.55}},
    {16, "mini+rebal", {57.29, 71.51, 916.84, 5.10}},        {16, "stock", {66.91, 85.08, 1070.72, 6.05}},
    {32, "rebal+4+fix+04", {56.38, 124.09, 1804.67, 7.71}},  {32, "rebal+4+fix", {55.13, 115.18, 1764.46, 8.86}},
    {32, "mini+rebal", {57.83, 125.80, 1850.84, 10.19}},     {32, "stock", {80.38, 181.80, 2572.70, 13.22}},
    {64, "rebal+4+fix+04", {57.42, 238.32, 3675.77, 17.68}}, {64, "rebal+4+fix", {60.06, 252.96, 3844.62, 18.88}},
    {64, "mini+rebal", {58.15, 245.30, 3722.38, 19.64}},     {64, "stock", {123.96, 513.66, 7934.07, 26.39}},
}};

TrialRow row(int trial, int jobs, const char* policy) {
    TrialRow row;
    row.trial = trial;
    row.repetition = 1;
    row.workload = "numa_test";
    row.parameters = "size=1000000 sweeps=100";
    row.threads = jobs;
    row.cpus = "all";
    row.mask = "0-15";
    row.policy = policy;
    row.bind = "none";
    row.unit = "s";
    row.better = Better::lower;
    row.status = "ok";
    return row;
}

std::vector<TrialRow> published_rows() {
    std::vector<TrialRow> rows;
    int trial = 0;
    for (const PublishedRow& each : published) {
        ++trial;
        for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
            rows.push_back(row(trial, each.jobs, each.kernel));
            rows.back().metric = metrics.at(metric);
            rows.back().value = each.times_s.at(metric);
        }
    }
    return rows;
}

TEST(SchedbenchTable, ReproducesThePublishedOnes) {
    const std::string text = schedbench_tables(compare(published_rows()), "");
    EXPECT_THAT(text, HasSubstr("\nnuma_test, means in seconds, size=1000000 sweeps=100\n"
                                "\nSchedbench 4:               AvgUser    Elapsed  TotalUser   TotalSys\n"
                                "rebal+4+fix+04, cpus all      27.34      40.49     109.39       0.88\n"
                                "rebal+4+fix, cpus all         24.73      38.50      98.94       0.84\n"
                                "mini+rebal, cpus all          25.18      43.23     100.76       0.68\n"
                                "stock, cpus all               31.38      41.55     125.54       1.24\n"
                                "\nSchedbench 8:               AvgUser    Elapsed  TotalUser   TotalSys\n"));
    EXPECT_THAT(text, HasSubstr("\nSchedbench 32:              AvgUser    Elapsed  TotalUser   TotalSys\n"
                                "rebal+4+fix+04, cpus all      56.38     124.09    1804.67       7.71\n"));
    EXPECT_THAT(text, testing::EndsWith("stock, cpus all              123.96     513.66    7934.07      26.39\n"));
}

TEST(SchedbenchTable, TakesTheMeanOfTheTrialsAndADashWhereThereIsNone) {
    std::vector<TrialRow> rows;
    for (int trial = 1; trial <= 3; ++trial) {
        rows.push_back(row(trial, 4, trial == 3 ? "idlest" : "os"));
        rows.back().metric = trial == 3 ? "wall" : "AverageUserTime";
        rows.back().value = 10.0 * trial;
        if (trial == 3) rows.back().status = "failed";
    }
    const std::string text = schedbench_tables(compare(rows), "emulated");
    EXPECT_THAT(text, HasSubstr("OS default, cpus all      15.00          -          -          -\n"));
    EXPECT_THAT(text, HasSubstr("idlest, cpus all" + std::string(14, ' ') + "-          -          -          -\n"));
    EXPECT_THAT(text, HasSubstr("EMULATED MACHINE"));
}

TEST(SchedbenchTable, IsPartOfTheTablesOfARunAndOnlyWithNumaTest) {
    EXPECT_THAT(format_tables(compare(published_rows())), HasSubstr("Schedbench 64:"));
    auto rows = published_rows();
    for (TrialRow& each : rows)
        each.workload = "stream";
    EXPECT_THAT(format_tables(compare(rows)), Not(HasSubstr("Schedbench")));
}

}  // namespace
}  // namespace pinwise
