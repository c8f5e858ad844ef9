#include "workloads/numa_test/job_table.hpp"

#include <fmt/format.h>

namespace pinwise::numa_test {

namespace {

std::string job_line(const JobRow& job, std::span<const int> nodes) {
    std::string line = fmt::format("{:3}  ", job.job);
    for (const int node : nodes) {
        const auto share = job.node_percent.find(node);
        line += fmt::format(" {:5.1f} ", share == job.node_percent.end() ? 0.0 : share->second);
    }
    return line + fmt::format("|   {:2}    {:2}   {}| {:6.2f}\n", job.initial_node, job.main_node(),
                              job.moved() ? '*' : ' ', job.user_s);
}

}  // namespace

int JobRow::main_node() const {
    int main = initial_node;
    double largest = 0;
    for (const auto& [node, percent] : node_percent) {
        if (percent > largest) {
            main = node;
            largest = percent;
        }
    }
    return main;
}

double JobRow::home_percent() const {
    const auto share = node_percent.find(initial_node);
    return share == node_percent.end() ? 0 : share->second;
}

double average_user_s(std::span<const JobRow> jobs) {
    double sum = 0;
    for (const JobRow& job : jobs)
        sum += job.user_s;
    return jobs.empty() ? 0 : sum / static_cast<double>(jobs.size());
}

std::string job_table(std::span<const JobRow> jobs, std::span<const int> nodes, const TableFooter& footer) {
    std::string text = "Job  ";
    for (const int node : nodes)
        text += fmt::format("node{:02} ", node);
    text += "| iSched MSched | UserTime(s)\n";
    for (const JobRow& job : jobs)
        text += job_line(job, nodes);
    return text + fmt::format(
                      "AverageUserTime {:.2f} seconds\n"
                      "ElapsedTime     {:.2f}\n"
                      "TotalUserTime   {:.2f}\n"
                      "TotalSysTime    {:.2f}\n",
                      average_user_s(jobs), footer.elapsed_s, footer.total_user_s, footer.total_sys_s);
}

}  // namespace pinwise::numa_test
