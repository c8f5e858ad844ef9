#include "runner/compare/node_matrix.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "runner/compare/table.hpp"

namespace pinwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two trials of threads on `cpu_node` with memory on `memory_node`.
void add_pair(std::vector<TrialRow>& rows, int cpu_node, int memory_node, double mb_per_s,
              const std::string& status = "ok") {
    for (int repetition = 1; repetition <= 2; ++repetition) {
        TrialRow row;
        row.trial = static_cast<int>(rows.size()) / 2 + 1;
        row.repetition = repetition;
        row.workload = "stream";
        row.threads = 4;
        row.cpus = fmt::format("node:{}", cpu_node);
        row.mask = fmt::format("{}-{}", 4 * cpu_node, 4 * cpu_node + 3);
        row.policy = "llc";
        row.bind = "cpu";
        row.memory = fmt::format("bind:{}", memory_node);
        row.status = status;
        row.metric = "Triad";
        row.unit = "MB/s";
        if (status == "ok") row.value = mb_per_s;
        rows.push_back(row);
        row.metric = "wall";
        row.unit = "s";
        row.better = Better::lower;
        rows.push_back(row);
    }
}

std::vector<TrialRow> two_nodes_and_memory() {
    std::vector<TrialRow> rows;
    add_pair(rows, 0, 0, 1000);
    add_pair(rows, 0, 1, 500);
    add_pair(rows, 0, 2, 250);
    add_pair(rows, 1, 0, 450);
    add_pair(rows, 1, 1, 900);
    add_pair(rows, 1, 2, 0, "failed");
    return rows;
}

TEST(NodeMatrix, HasARowForEveryNodeOfThreadsAndAColumnForEveryMemory) {
    const auto comparisons = compare(two_nodes_and_memory());
    ASSERT_EQ(comparisons.size(), 1U);
    const auto matrix = find_node_matrix(comparisons[0]);
    ASSERT_TRUE(matrix);
    EXPECT_THAT(matrix->cpu_nodes, ElementsAre(0, 1));
    EXPECT_THAT(matrix->memory_nodes, ElementsAre(0, 1, 2));
    EXPECT_EQ(matrix->column(1, 0), 3U);
    EXPECT_EQ(matrix->local_column(1), 4U);
    EXPECT_EQ(matrix->local_column(2), std::nullopt) << "no threads ran there";
}

TEST(NodeMatrix, IsPrintedAgainstTheLocalRate) {
    const std::string text = node_matrix_tables(compare(two_nodes_and_memory()).at(0), {});
    EXPECT_THAT(text, HasSubstr("CPUs 0        1000.00 (100 %)      500.00 ( 50 %)      250.00 ( 25 %)\n"));
    EXPECT_THAT(text, HasSubstr("CPUs 1         450.00 ( 50 %)      900.00 (100 %)        - (2 failed)\n"));
    EXPECT_THAT(text, HasSubstr("0 to 2 finished trials a pair\nnode 2: memory only, no threads ran there\n"));
    EXPECT_THAT(text, testing::Not(HasSubstr("wall")));
    EXPECT_THAT(node_matrix_tables(compare(two_nodes_and_memory()).at(0), {.machine_kind = "emulated"}),
                HasSubstr("EMULATED MACHINE: times and rates are no measurement"));
}

TEST(NodeMatrix, OfOneNodeSaysThatThereIsNothingToCompare) {
    std::vector<TrialRow> rows;
    add_pair(rows, 0, 0, 1000);
    EXPECT_THAT(node_matrix_tables(compare(rows).at(0), {}), HasSubstr("one NUMA node here"));
}

TEST(NodeMatrix, KeepsAPairThatDidNotRunEmpty) {
    std::vector<TrialRow> rows;
    add_pair(rows, 0, 0, 1000);
    add_pair(rows, 1, 1, 900);
    const std::string text = node_matrix_tables(compare(rows).at(0), {});
    EXPECT_THAT(text, HasSubstr("CPUs 0        1000.00 (100 %)         - (not run)\n"));
}

TEST(NodeMatrix, NamesTheLabelsOfItsTrials) {
    auto rows = two_nodes_and_memory();
    rows[0].labels = "emulated";
    rows[1].labels = "emulated";
    EXPECT_THAT(node_matrix_tables(compare(rows).at(0), {}), HasSubstr("labels: emulated (1 of 12 trials)\n"));
}

TEST(NodeMatrix, SaysOnceWhatIsSoOfManyPairs) {
    auto rows = two_nodes_and_memory();
    for (TrialRow& row : rows)
        row.reason = row.status == "ok" ? "small arrays" : "timeout(60 s)";
    EXPECT_THAT(
        node_matrix_tables(compare(rows).at(0), {}),
        HasSubstr("note: node:0 bind:0, node:0 bind:1, node:0 bind:2, node:1 bind:0, node:1 bind:1: small arrays "
                  "(2 trials)\nfailed: node:1 bind:2: timeout(60 s) (2 trials)\n"));
    rows.resize(4);
    EXPECT_THAT(node_matrix_tables(compare(rows).at(0), {}), HasSubstr("note: every pair: small arrays (2 trials)\n"));
}

TEST(NodeMatrix, TakesThePlaceOfTheColumns) {
    const std::string text = format_tables(compare(two_nodes_and_memory()));
    EXPECT_THAT(text, HasSubstr("threads on one node, memory on another"));
    EXPECT_THAT(text, testing::Not(HasSubstr("change against the first column")));
    EXPECT_THAT(text, testing::Not(HasSubstr("OS default")));
    EXPECT_THAT(text, testing::Not(HasSubstr("too few to tell from noise")));
}

TEST(NodeMatrix, IsNotSeenInOtherComparisons) {
    auto rows = two_nodes_and_memory();
    for (TrialRow& row : rows)
        if (row.trial == 1) row.cpus = "all";
    EXPECT_FALSE(find_node_matrix(compare(rows).at(0)));
    EXPECT_EQ(node_matrix_tables(compare(rows).at(0), {}), "");
    auto other_policy = two_nodes_and_memory();
    other_policy.back().policy = "os";
    other_policy[other_policy.size() - 2].policy = "os";
    EXPECT_FALSE(find_node_matrix(compare(other_policy).at(0)));
    auto several_nodes = two_nodes_and_memory();
    for (TrialRow& row : several_nodes)
        if (row.cpus == "node:1") row.cpus = "node:0,1";
    EXPECT_FALSE(find_node_matrix(compare(several_nodes).at(0)));
}

}  // namespace
}  // namespace pinwise
