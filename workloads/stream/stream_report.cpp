#include "workloads/stream/stream_report.hpp"

#include <set>

#include <fmt/format.h>

#include "workloads/common/size_text.hpp"
#include "workloads/stream/statistics.hpp"

namespace pinwise::stream {

namespace {

constexpr std::size_t kernels = kernel_names.size();

KernelStatistics statistics_of_kernel(const FinishedRun& run, std::size_t kernel) {
    return statistics_of(run.result.times_s.at(kernel), bytes_moved(kernel, run.size.elements));
}

nlohmann::ordered_json parameters_of(const FinishedRun& run) {
    return {{"threads", run.team.size()},
            {"elements", run.size.elements},
            {"array_bytes", run.size.array_bytes()},
            {"ntimes", run.parameters.ntimes},
            {"warm_up_iterations", warm_up_iterations},
            {"scale_factor", scale_factor},
            {"stores", to_string(run.parameters.stores)},
            {"thp", workloads::to_string(run.parameters.thp)},
            {"touch", workloads::to_string(run.parameters.touch)},
            {"llc_bytes", run.llc.bytes},
            {"llc_source", run.llc.source},
            {"llc_ratio", run.size.llc_ratio},
            {"vector_target", vector_target()},
            {"vector_bytes", vector_bytes()},
            {"allowed_cpus", run.team.allowed_cpus},
            {"omp_wait_policy", workloads::omp_wait_policy()},
            {"omp_proc_bind", workloads::omp_proc_bind()}};
}

std::vector<std::string> notes_of(const FinishedRun& run) {
    std::vector<std::string> notes = run.size.notes;
    if (run.llc.is_assumed)
        notes.push_back(fmt::format("the last-level caches are taken as {} in all ({}); --llc-bytes overrides",
                                    workloads::bytes_text(run.llc.bytes), run.llc.source));
    if (run.team.threads.size() > run.team.allowed_cpus.size() && !run.team.allowed_cpus.empty())
        notes.push_back(fmt::format(
            "{} threads share {} allowed CPU{}: spinning OpenMP threads may slow this down many times",
            run.team.threads.size(), run.team.allowed_cpus.size(), run.team.allowed_cpus.size() == 1 ? "" : "s"));
    notes.insert(notes.end(), run.result.notes.begin(), run.result.notes.end());
    return notes;
}

/// STREAM's table, in its own columns, which programs that read STREAM's output look for.
std::string rate_lines(const FinishedRun& run) {
    std::string text = "Function    Best Rate MB/s  Avg time     Min time     Max time\n";
    for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
        const auto statistics = statistics_of_kernel(run, kernel);
        text +=
            fmt::format("{:<11}{:12.1f}  {:11.6f}  {:11.6f}  {:11.6f}\n", fmt::format("{}:", kernel_names.at(kernel)),
                        statistics.best_mb_per_s, statistics.avg_s, statistics.min_s, statistics.max_s);
    }
    return text;
}

std::string pages_line(const FinishedRun& run) {
    const auto& pages = run.result.pages;
    const double total_bytes = 3.0 * static_cast<double>(run.size.array_bytes());
    std::string text;
    if (pages.anon_huge_bytes)
        text +=
            fmt::format("{:.0f} % on huge pages", 100.0 * static_cast<double>(*pages.anon_huge_bytes) / total_bytes);
    if (pages.node_pages) {
        std::uint64_t sampled = 0;
        for (const auto& [node, count] : *pages.node_pages)
            sampled += count;
        for (const auto& [node, count] : *pages.node_pages)
            text += fmt::format("{}node {}: {:.0f} %", text.empty() ? "" : ", ", node,
                                100.0 * static_cast<double>(count) / static_cast<double>(sampled));
    }
    if (!pages.unavailable_because.empty())
        text += fmt::format("{}not all known: {}", text.empty() ? "" : ", ", pages.unavailable_because);
    return text;
}

std::string settings_lines(const FinishedRun& run) {
    std::set<int> first_cpus;
    for (const auto& thread : run.team.threads)
        first_cpus.insert(thread.first_cpu);
    return fmt::format(
        "Threads:  {}, first seen on CPU{} {}\n"
        "Arrays:   3 x {} ({} elements), each {:.2f} x the last-level caches of {} ({})\n"
        "Stores:   {}, {} vectors of {} bytes\n"
        "Pages:    thp {}; {}\n",
        run.team.size(), first_cpus.size() == 1 ? "" : "s", fmt::join(first_cpus, ","),
        workloads::bytes_text(run.size.array_bytes()), run.size.elements, run.size.llc_ratio,
        workloads::bytes_text(run.llc.bytes), run.llc.source, to_string(run.parameters.stores), vector_target(),
        vector_bytes(), workloads::to_string(run.parameters.thp), pages_line(run));
}

}  // namespace

workloads::WorkloadReport make_report(const FinishedRun& run) {
    workloads::WorkloadReport report;
    report.workload = "stream";
    report.variant = fmt::format("highway-{}", to_string(run.parameters.stores));
    report.parameters = parameters_of(run);
    for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
        report.metrics.push_back({std::string(kernel_names.at(kernel)), "MB/s",
                                  statistics_of_kernel(run, kernel).best_mb_per_s, workloads::Better::higher});
    }
    for (std::size_t kernel = 0; kernel < kernels; ++kernel)
        report.iterations.push_back({std::string(kernel_names.at(kernel)), run.result.times_s.at(kernel)});
    report.verification = run.result.verification;
    report.threads = run.team.threads;
    report.pages = run.result.pages;
    report.notes = notes_of(run);
    return report;
}

std::string result_text(const FinishedRun& run, const workloads::WorkloadReport& report) {
    const std::string rule(78, '-');
    std::string text = fmt::format(
        "{0}\n"
        "pinwise-stream: results based on a variant of the STREAM benchmark code.\n"
        "Differs from STREAM in: vector kernels and stores chosen at run time, q = {1},\n"
        "a warm-up, every element checked. Rates are STREAM's: MB = 10^6 bytes, best of\n"
        "{2} iterations, the first left out.\n"
        "{0}\n",
        rule, scale_factor, run.parameters.ntimes);
    text += settings_lines(run);
    for (const auto& note : report.notes)
        text += fmt::format("Note:     {}\n", note);
    text += rule + "\n";
    if (report.verification.passed) {
        text += rate_lines(run) + rule + "\n";
        text += fmt::format("verification: passed (largest relative error {:.3g}, tolerance {:.0e})\n",
                            report.verification.max_error, report.verification.tolerance);
    } else {
        text += fmt::format("verification: FAILED: {} (tolerance {:.0e}); no rates are given\n",
                            report.verification.message, report.verification.tolerance);
    }
    return text;
}

}  // namespace pinwise::stream
