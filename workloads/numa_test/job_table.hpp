#pragma once
/// numa_test's table: where each job spent its user time. Pure.

#include <map>
#include <span>
#include <string>
#include <vector>

namespace pinwise::numa_test {

struct JobRow {
    int job = 0;                         ///< from 1
    std::map<int, double> node_percent;  ///< of its user time, by node; a node that is not there has 0
    int initial_node = -1;               ///< where it began
    double user_s = 0;

    /// The node with the largest share, the lowest of equal ones; the initial node where nothing is known of any.
    [[nodiscard]] int main_node() const;
    /// The star: most of its time was elsewhere than where it began.
    [[nodiscard]] bool moved() const { return main_node() != initial_node; }
    /// Share on the initial node, in percent.
    [[nodiscard]] double home_percent() const;
};

/// What is known of all jobs together. TotalUserTime may count more than the jobs' own, as a shell's `time` does.
struct TableFooter {
    double elapsed_s = 0;
    double total_user_s = 0;
    double total_sys_s = 0;
};

double average_user_s(std::span<const JobRow> jobs);

/// Header, one line a job, footer, in numa_test's layout of 2002, with a column for each of `nodes`.
std::string job_table(std::span<const JobRow> jobs, std::span<const int> nodes, const TableFooter& footer);

}  // namespace pinwise::numa_test
