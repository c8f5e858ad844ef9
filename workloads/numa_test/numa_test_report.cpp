#include "workloads/numa_test/numa_test_report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "workloads/common/allowed_cpus.hpp"
#include "workloads/common/size_text.hpp"
#include "workloads/numa_test/home_return.hpp"

namespace pinwise::numa_test {

namespace {

using workloads::Better;

std::span<const NodeVisit> visits_of(const JobRecord& record) {
    return std::span(record.visits).first(std::min<std::size_t>(record.visit_count, most_moves));
}

std::map<int, double> node_seconds(const JobRecord& record) {
    std::map<int, double> seconds;
    for (std::size_t node = 0; node < most_nodes; ++node)
        if (record.node_s[node] > 0) seconds[static_cast<int>(node)] = record.node_s[node];
    return seconds;
}

JobRow job_row(int job, const JobRecord& record, const workloads::ChildEnd& end) {
    JobRow row{job, node_seconds(record), visits_of(record).front().node, end.user_s};
    double total_s = record.nowhere_s;
    for (const auto& [node, seconds] : row.node_percent)
        total_s += seconds;
    for (auto& [node, share] : row.node_percent)
        share *= 100 / total_s;
    return row;
}

TableFooter footer_of(const FinishedRun& run) {
    TableFooter footer{run.elapsed_s, 0, 0};
    for (const auto& end : run.ends) {
        footer.total_user_s += end.user_s;
        footer.total_sys_s += end.sys_s;
    }
    return footer;
}

/// What all jobs together did after the disturbance; nothing where it did not end before them.
std::optional<HomeReturn> slowest_return(const FinishedRun& run) {
    if (!run.disturbance.has_ended()) return std::nullopt;
    std::optional<HomeReturn> slowest;
    for (std::size_t job = 0; job < run.records.size(); ++job) {
        const auto each = home_return(visits_of(run.records[job]), run.disturbance.ended_ns(), run.ends[job].seen_ns);
        if (!each) continue;
        if (!slowest) slowest.emplace();
        slowest->seconds = std::max(slowest->seconds, each->seconds);
        slowest->returned = slowest->returned && each->returned;
    }
    return slowest;
}

int jobs_ended_away(const FinishedRun& run) {
    int away = 0;
    for (std::size_t job = 0; job < run.records.size(); ++job) {
        const JobRecord& record = run.records[job];
        if (run.nodes.node_of(record.last_cpu) != record.visits.front().node) ++away;
    }
    return away;
}

double mean_home_percent(std::span<const JobRow> jobs) {
    const auto add = [](double sum, const JobRow& job) { return sum + job.home_percent(); };
    return std::accumulate(jobs.begin(), jobs.end(), 0.0, add) / static_cast<double>(jobs.size());
}

std::vector<workloads::Metric> metrics_of(const FinishedRun& run, std::span<const JobRow> jobs) {
    const TableFooter footer = footer_of(run);
    const auto moved = std::ranges::count_if(jobs, &JobRow::moved);
    std::vector<workloads::Metric> metrics{
        {"AverageUserTime", "s", average_user_s(jobs), Better::lower},
        {"ElapsedTime", "s", footer.elapsed_s, Better::lower},
        {"TotalUserTime", "s", footer.total_user_s, Better::lower},
        {"TotalSysTime", "s", footer.total_sys_s, Better::lower},
        {"HomeShare", "%", mean_home_percent(jobs), Better::higher},
        {"JobsMoved", "jobs", static_cast<double>(moved), Better::lower},
        {"JobsEndedAway", "jobs", static_cast<double>(jobs_ended_away(run)), Better::lower},
    };
    if (const auto slowest = slowest_return(run))
        metrics.push_back({"HomeReturnTime", "s", slowest->seconds, Better::lower});
    return metrics;
}

workloads::Verification verification_of(const FinishedRun& run) {
    workloads::Verification verification;
    verification.passed = true;
    for (std::size_t job = 0; job < run.records.size(); ++job) {
        const JobRecord& record = run.records[job];
        if (record.finished && record.sums == record.expected) continue;
        verification.passed = false;
        verification.max_error =
            std::max({verification.max_error, std::abs(record.sums.plain / record.expected.plain - 1),
                      std::abs(record.sums.weighted / record.expected.weighted - 1)});
        if (verification.message.empty())
            verification.message =
                fmt::format("job {}: its sums are {} and {} instead of {} and {}", job + 1, record.sums.plain,
                            record.sums.weighted, record.expected.plain, record.expected.weighted);
    }
    return verification;
}

workloads::ThreadCpus thread_of(const FinishedRun& run, std::size_t job) {
    const JobRecord& record = run.records[job];
    workloads::ThreadCpus thread;
    thread.thread = static_cast<int>(job);
    thread.tid = run.ends[job].pid;
    thread.first_cpu = record.first_cpu;
    thread.last_cpu = record.last_cpu;
    thread.last_node = run.nodes.node_of(record.last_cpu);
    thread.times = {run.ends[job].user_s, to_string(run.options.node_times), node_seconds(record)};
    if (!record.pages_known) return thread;
    thread.node_pages.emplace();
    for (std::size_t node = 0; node < most_nodes; ++node)
        if (record.node_pages[node] != 0) (*thread.node_pages)[static_cast<int>(node)] = record.node_pages[node];
    return thread;
}

workloads::PageReport pages_of(const std::vector<workloads::ThreadCpus>& jobs) {
    workloads::PageReport pages;
    pages.unavailable_because = "huge pages: the jobs' memory is gone with them";
    for (const auto& job : jobs) {
        if (!job.node_pages) continue;
        if (!pages.node_pages) pages.node_pages.emplace();
        for (const auto& [node, count] : *job.node_pages)
            (*pages.node_pages)[node] += count;
    }
    return pages;
}

nlohmann::ordered_json parameters_of(const FinishedRun& run) {
    const Options& options = run.options;
    const Disturbance& disturbance = run.disturbance;
    nlohmann::ordered_json parameters = {{"threads", options.jobs},
                                         {"elements", options.elements},
                                         {"job_bytes", options.elements * element_bytes},
                                         {"sweeps", options.sweeps},
                                         {"thp", workloads::to_string(options.thp)},
                                         {"node_times", to_string(options.node_times)},
                                         {"allowed_cpus", workloads::allowed_cpus()},
                                         {"nodes", run.nodes.nodes},
                                         {"disturb", disturbance.command().empty() ? "none" : disturbance.command()}};
    if (disturbance.command().empty()) return parameters;
    parameters["disturb_after_s"] = options.disturb_after_s;
    parameters["disturbed_s"] = disturbance.has_ended() ? nlohmann::ordered_json(disturbance.elapsed_s()) : nullptr;
    parameters["disturbance_said"] = disturbance.said();
    return parameters;
}

std::vector<std::string> notes_of(const FinishedRun& run) {
    std::vector<std::string> notes;
    const Disturbance& disturbance = run.disturbance;
    if (disturbance.is_due())
        notes.emplace_back("the jobs had ended before the disturbance began; more --sweeps make them longer");
    if (disturbance.is_running())
        notes.emplace_back("the disturbance outlived the jobs and was ended, so no time of return is known");
    if (const auto slowest = slowest_return(run); slowest && !slowest->returned)
        notes.emplace_back("not every job was on its initial node again before it ended: HomeReturnTime is longer");
    for (std::size_t job = 0; job < run.records.size(); ++job) {
        const JobRecord& record = run.records[job];
        if (record.visit_count > most_moves)
            notes.push_back(fmt::format("job {} changed its node {} times; only the first {} visits are known in time",
                                        job + 1, record.visit_count - 1, most_moves));
        if (record.nowhere_s > 0) notes.push_back(fmt::format("job {} ran on CPUs of no node", job + 1));
    }
    return notes;
}

std::string disturbance_line(const FinishedRun& run) {
    const Disturbance& disturbance = run.disturbance;
    if (disturbance.command().empty() || disturbance.is_due()) return "Nothing ran in the background\n";
    if (disturbance.is_running())
        return fmt::format("Running '{}' in the background: not done\n", disturbance.command());
    return fmt::format("Running '{}' in the background: {} ({:.3f} s)\n", disturbance.command(), disturbance.said(),
                       disturbance.elapsed_s());
}

}  // namespace

std::vector<JobRow> job_rows(const FinishedRun& run) {
    std::vector<JobRow> rows;
    for (std::size_t job = 0; job < run.records.size(); ++job)
        rows.push_back(job_row(static_cast<int>(job) + 1, run.records[job], run.ends[job]));
    return rows;
}

workloads::WorkloadReport make_report(const FinishedRun& run) {
    workloads::WorkloadReport report;
    report.workload = "numa_test";
    report.variant = run.disturbance.command().empty() ? "undisturbed" : "disturbed";
    report.parameters = parameters_of(run);
    report.metrics = metrics_of(run, job_rows(run));
    workloads::KernelTimes user_times{"user time of each job", {}};
    for (const auto& end : run.ends)
        user_times.times_s.push_back(end.user_s);
    report.iterations = {user_times};
    report.verification = verification_of(run);
    for (std::size_t job = 0; job < run.records.size(); ++job)
        report.threads.push_back(thread_of(run, job));
    report.pages = pages_of(report.threads);
    report.notes = notes_of(run);
    return report;
}

std::string result_text(const FinishedRun& run, const workloads::WorkloadReport& report) {
    const Options& options = run.options;
    std::string text =
        fmt::format("Executing {} times: {} sweeps of random updates over {} ({} elements)\n", options.jobs,
                    options.sweeps, workloads::bytes_text(options.elements * element_bytes), options.elements);
    text += disturbance_line(run);
    if (!report.verification.passed)
        return text + fmt::format("verification: FAILED: {}; no times are given\n", report.verification.message);
    text += job_table(job_rows(run), run.nodes.nodes, footer_of(run));
    for (const auto& metric : std::span(report.metrics).subspan(4))
        text += fmt::format("{:<15} {:.2f} {}\n", metric.name, metric.value, metric.unit);
    for (const auto& note : report.notes)
        text += fmt::format("Note: {}\n", note);
    return text + "verification: passed (the sums of every job are exact)\n";
}

}  // namespace pinwise::numa_test
